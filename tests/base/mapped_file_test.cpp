#include "base/mapped_file.h"

#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

constexpr size_t kBytes = size_t{1} << 20;

class AMappedFile : public testing::Test {
 protected:
  AMappedFile() : path(folder.write("data.bin", std::string(kBytes, 'x'))) {
    const int descriptor = ::open(path.c_str(), O_RDONLY);
    file = MappedFile::map(descriptor, kBytes, "data.bin");
    ::close(descriptor);  // the mapping does not need it
  }
  // A time that differs from the one before, however coarse the clock of the file system is.
  void touch_later() const {
    const timespec times[2] = {{1, 0}, {1, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  TemporaryFolder folder;
  std::filesystem::path path;
  std::shared_ptr<const MappedFile> file;
};

TEST_F(AMappedFile, HoldsTheBytesOfTheFile) {
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(std::string(file->data(), file->size()), std::string(kBytes, 'x'));
  EXPECT_NO_THROW(file->check());
}

TEST_F(AMappedFile, IsFoundByItsAddresses) {
  const int elsewhere = 0;
  EXPECT_EQ(MappedFile::holding(file->data()), file);
  EXPECT_EQ(MappedFile::holding(file->data() + kBytes - 1), file);
  EXPECT_EQ(MappedFile::holding(file->data() + kBytes), nullptr);
  EXPECT_EQ(MappedFile::holding(&elsewhere), nullptr);
  const char* gone = file->data();
  file.reset();
  EXPECT_EQ(MappedFile::holding(gone), nullptr);
}

TEST_F(AMappedFile, ThatIsCutOffGivesZerosAndIsRefused) {
  ASSERT_EQ(::truncate(path.c_str(), 100), 0);
  EXPECT_EQ(file->data()[kBytes / 2], 0);
  EXPECT_EQ(file->data()[kBytes - 1], 0);
  EXPECT_EQ(file->data()[50], 'x');
  expect_error(ErrorKind::io, "has changed since the model was loaded", [&] { file->check(); });
}

TEST_F(AMappedFile, ThatIsWrittenIsRefused) {
  std::FILE* out = std::fopen(path.c_str(), "r+b");
  std::fputs("other", out);
  std::fclose(out);
  touch_later();
  expect_error(ErrorKind::io, "data.bin", [&] { file->check(); });
}

TEST_F(AMappedFile, ThatIsReplacedByAnotherFileStaysAsItWas) {
  const auto other = folder.write("other.bin", std::string(kBytes, 'y'));
  std::filesystem::rename(other, path);
  EXPECT_EQ(file->data()[7], 'x');
  EXPECT_NO_THROW(file->check());
}

TEST_F(AMappedFile, ReadsPagesAgainThatWereForgotten) {
  EXPECT_EQ(file->data()[kBytes / 2], 'x');
  forget_mapped(file->data() + 1, kBytes - 2);
  EXPECT_EQ(std::string(file->data(), file->size()), std::string(kBytes, 'x'));
  std::string elsewhere(kBytes, 'z');
  forget_mapped(elsewhere.data(), elsewhere.size());
  EXPECT_EQ(elsewhere, std::string(kBytes, 'z'));
}

TEST(MappedFiles, AnEmptyFileIsNotMapped) {
  const TemporaryFolder folder;
  const int descriptor = ::open(folder.write("empty.bin", "").c_str(), O_RDONLY);
  EXPECT_EQ(MappedFile::map(descriptor, 0, "empty.bin"), nullptr);
  EXPECT_EQ(MappedFile::map(descriptor, 4096, "empty.bin"), nullptr);
  ::close(descriptor);
}

}  // namespace
}  // namespace ascribe::core
