#include "base/file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include "support/errors.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;

int64_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(File, IsReadBackAsItWasWritten) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\n", 4);
  write_file(folder.path("x"), bytes, false);
  EXPECT_EQ(read_file(folder.path("x")), bytes);
  EXPECT_EQ(files_in(folder.root()), 1) << "nothing is left beside it";
}

TEST(File, MayBeEmpty) {
  const TemporaryFolder folder;
  write_file(folder.path("x"), "", false);
  EXPECT_EQ(read_file(folder.path("x")), "");
}

TEST(File, IsReplacedOnlyOnDemand) {
  const TemporaryFolder folder;
  write_file(folder.path("x"), "old", false);
  expect_error(ErrorKind::io, "exists already", [&] { write_file(folder.path("x"), "new", false); });
  EXPECT_EQ(read_file(folder.path("x")), "old");
  write_file(folder.path("x"), "new", true);
  EXPECT_EQ(read_file(folder.path("x")), "new");
}

TEST(File, AFailedWriteLeavesNothingBehind) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("taken"));
  expect_error(ErrorKind::io, "cannot write", [&] { write_file(folder.path("taken"), "bytes", true); });
  EXPECT_EQ(files_in(folder.root()), 1) << "only the folder that was in the way";
  expect_error(ErrorKind::io, "cannot write", [&] { write_file(folder.path("missing/x"), "bytes", false); });
  EXPECT_EQ(files_in(folder.root()), 1);
}

TEST(File, AnOldFileSurvivesAFailedReplacement) {
  const TemporaryFolder folder;
  write_file(folder.path("x"), "old", false);
  const std::string too_long(300, 'n');
  expect_error(ErrorKind::io, "cannot write", [&] { write_file(folder.path(too_long), "new", true); });
  EXPECT_EQ(read_file(folder.path("x")), "old");
  EXPECT_EQ(files_in(folder.root()), 1);
}

TEST(File, AboveTheLimitIsNotRead) {
  const TemporaryFolder folder;
  folder.write("x", "12345");
  EXPECT_EQ(read_file(folder.path("x"), 5), "12345");
  expect_error(ErrorKind::io, "too large", [&] { read_file(folder.path("x"), 4); });
}

TEST(File, FoldersPipesAndMissingFilesAreRefused) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "not a regular file", [&] { read_file(folder.root()); });
  expect_error(ErrorKind::io, "cannot open", [&] { read_file(folder.path("missing")); });
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  expect_error(ErrorKind::io, "not a regular file", [&] { read_file(folder.path("pipe")); });
}

TEST(File, AFolderIsWrittenWholeOrNotAtAll) {
  const TemporaryFolder root;
  const fs::path folder = root.root() / "out";
  check_folder(folder, {"a", "b"}, false);
  write_folder(folder, {{"a", "1"}, {"b", "2"}}, false);
  EXPECT_EQ(read_file(folder / "b"), "2");
  expect_error(ErrorKind::io, "exists already", [&] { check_folder(folder, {"b"}, false); });
  expect_error(ErrorKind::io, "exists already", [&] { write_folder(folder, {{"c", "3"}, {"b", "4"}}, false); });
  EXPECT_EQ(files_in(folder), 2) << "c is gone again";
  check_folder(folder, {"b"}, true);
  write_folder(folder, {{"b", "4"}}, true);
  EXPECT_EQ(read_file(folder / "b"), "4");
  expect_error(ErrorKind::io, "cannot write", [&] {
    write_folder(root.root() / "new", {{"a", ""}, {"x/y", ""}}, false);
  });
  EXPECT_FALSE(fs::exists(root.root() / "new"));
  expect_error(ErrorKind::io, "above it does not exist", [&] { check_folder(root.root() / "no/where", {}, true); });
  expect_error(ErrorKind::io, "cannot make the folder", [&] { make_folder(root.root() / "no/where"); });
  expect_error(ErrorKind::io, "not a folder", [&] { check_folder(folder / "a", {}, true); });
}

}  // namespace
}  // namespace ascribe::core
