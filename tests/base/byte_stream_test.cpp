#include "base/byte_stream.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/gzip.h"

namespace ascribe::core {
namespace {

// Longer than the window, and not well compressible.
std::string long_text() {
  std::string text;
  const Random random(3);
  for (uint64_t i = 0; text.size() < 400000; ++i)
    text += std::to_string(random.below(i, 1000000)) + (i % 7 ? " " : "\n");
  return text;
}

class ByteStreams : public testing::TestWithParam<bool> {
 protected:
  std::string file(const std::string& bytes) { return folder_.write("f", GetParam() ? gzip(bytes) : bytes); }
  TemporaryFolder folder_;
};

TEST_P(ByteStreams, ReadAnywhereInAnyOrder) {
  const std::string text = long_text();
  ByteStream stream(file(text));
  for (const int64_t at : {0, 70000, 69999, 399000, 5, 200000}) {
    stream.seek(at);
    EXPECT_EQ(stream.read_text(900), text.substr(static_cast<size_t>(at), 900)) << at;
    EXPECT_EQ(stream.position(), at + 900);
  }
}

TEST_P(ByteStreams, LinesAreThoseOfTheTextAndMayBeMixedWithOtherReading) {
  const std::string text = long_text() + "\n\nlast";
  ByteStream stream(file(text));
  std::string line, all;
  while (stream.read_line(line, 1000)) all += line + "\n";
  EXPECT_EQ(all, text + "\n");
  const size_t second = text.find('\n') + 1;
  stream.seek(0);
  stream.read_line(line, 1000);
  EXPECT_EQ(stream.position(), static_cast<int64_t>(second));
  EXPECT_EQ(stream.read_text(10), text.substr(second, 10));
  stream.read_line(line, 1000);
  EXPECT_EQ(line, text.substr(second + 10, text.find('\n', second + 10) - second - 10));
  stream.seek(3);
  stream.read_line(line, 1000);
  EXPECT_EQ(line, text.substr(3, second - 4)) << "what was read ahead is forgotten";
}

TEST_P(ByteStreams, SayWhereTheFileEnds) {
  ByteStream stream(file("twelve bytes"));
  stream.seek(8);
  expect_error(ErrorKind::io, "cut short; got 4 bytes at byte 8; expected 5", [&] { stream.read_text(5); });
  EXPECT_EQ(stream.size().has_value(), !GetParam());
  std::string line;
  stream.seek(0);
  expect_error(ErrorKind::io, "longer than 5", [&] { stream.read_line(line, 5); });
}

INSTANTIATE_TEST_SUITE_P(PlainAndGzip, ByteStreams, testing::Bool());

TEST(ByteStream, GzipMembersFollowEachOther) {
  const TemporaryFolder folder;
  ByteStream stream(folder.write("f", gzip("one ") + gzip("two ") + gzip("") + gzip("three") + std::string(5, '\0')));
  std::string all(100, '\0');
  all.resize(stream.read_some(all));
  EXPECT_EQ(all, "one two three");
}

TEST(ByteStream, DamagedGzipIsAnErrorThatNamesThePlace) {
  const TemporaryFolder folder;
  const std::string packed = gzip(long_text());
  std::string cut = packed.substr(0, packed.size() / 2), broken = packed;
  broken.replace(broken.size() / 2, 50, 50, '\xAA');
  const auto read_all = [&](const std::string& bytes) {
    ByteStream stream(folder.write("f", bytes));
    std::string line;
    while (stream.read_line(line, 1000)) {
    }
  };
  expect_error(ErrorKind::io, "is cut short, near byte", [&] { read_all(cut); });
  expect_error(ErrorKind::io, "is damaged, near byte", [&] { read_all(broken); });
  expect_error(ErrorKind::io, "followed by other bytes", [&] { read_all(packed + "x"); });
  ByteStream stream(folder.write("f", packed));
  expect_error(ErrorKind::io, "the file ends at byte", [&] { stream.seek(int64_t{1} << 40); });
}

TEST(ByteStream, RefusesFolders) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "not a regular file", [&] { ByteStream(folder.root().string()); });
  expect_error(ErrorKind::io, "cannot open", [&] { ByteStream(folder.path("none")); });
}

}  // namespace
}  // namespace ascribe::core
