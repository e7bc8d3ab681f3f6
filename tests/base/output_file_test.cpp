#include "base/output_file.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include "base/file.h"
#include "support/errors.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;

std::string name_while_it_grows(const std::string& path) { return fmt::format("{}.{}.tmp", path, ::getpid()); }

TEST(OutputFile, HasPiecesInAnyOrder) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("x"), false, 6);
  file.append("ab");
  file.write_at(4, "ef");
  file.append("cd");
  EXPECT_FALSE(fs::exists(folder.path("x")));
  file.finish();
  EXPECT_EQ(read_file(folder.path("x")), "abcdef");
}

TEST(OutputFile, WithoutAnEndLeavesNothing) {
  const TemporaryFolder folder;
  { OutputFile(folder.path("x"), false).append("half"); }
  EXPECT_TRUE(fs::is_empty(folder.root()));
}

TEST(OutputFile, IsRefusedWhereTheDiskHasNoRoom) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "the file takes", [&] { OutputFile(folder.path("x"), false, uint64_t{1} << 62); });
  EXPECT_TRUE(fs::is_empty(folder.root()));
}

// Somebody who may write into the folder lays a link, or a file of their own, where ours will grow.
TEST(OutputFile, IsNotWrittenThroughWhatLiesInItsWay) {
  const TemporaryFolder folder;
  const std::string path = folder.path("x"), victim = folder.write("victim", "precious");
  fs::create_symlink(victim, name_while_it_grows(path));
  OutputFile linked(path, false);
  linked.append("ours");
  linked.finish();
  EXPECT_EQ(read_file(victim), "precious");
  fs::create_hard_link(victim, name_while_it_grows(path));
  OutputFile shared(path, true);
  shared.append("new");
  shared.finish();
  EXPECT_EQ(read_file(victim), "precious");
  EXPECT_EQ(read_file(path), "new");
}

}  // namespace
}  // namespace ascribe::core
