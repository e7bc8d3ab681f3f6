#include "tensor/npz_stream.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/errors.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

std::string bytes_of(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

TEST(NpzStream, HasTheBytesOfAnArchiveWrittenAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.path("x.npz");
  {
    NpzStream out(path, {{"a", "<f8", 8, {3, 2}}, {"b", "<f8", 8, {3}}}, false);
    for (int i = 0; i < 3; ++i) {
      out.append(0, bytes_of({1.0 * i, 2.0 * i}));
      out.append(1, bytes_of({3.0 - i}));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    out.finish();
  }
  const Tensor a = Tensor::of<double>({3, 2}, {0, 0, 1, 2, 2, 4}), b = Tensor::of<double>({3}, {3, 2, 1});
  EXPECT_EQ(read_file(path), format_npz({{"a", a}, {"b", b}}));
}

TEST(NpzStream, LeavesNothingUnlessItIsFinished) {
  const TemporaryFolder folder;
  { NpzStream out(folder.path("x.npz"), {{"a", "<f8", 8, {3}}}, false); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.root()));
  NpzStream out(folder.path("x.npz"), {{"a", "<f8", 8, {3}}}, false);
  out.append(0, bytes_of({1}));
  expect_error(ErrorKind::internal, "as many elements", [&] { out.finish(); });
}

TEST(NpzStream, ReplacesAFileOnlyIfItIsTold) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.npz", "mine");
  expect_error(ErrorKind::io, "exists already", [&] { NpzStream(path, {{"a", "<f8", 8, {0}}}, false); });
  NpzStream(path, {{"a", "<f8", 8, {0}}}, true).finish();
  EXPECT_EQ(parse_npz(read_file(path), path).size(), 1U);
}

}  // namespace
}  // namespace ascribe::core
