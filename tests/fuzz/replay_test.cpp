// Every fuzz target on its seeds and on the inputs that were findings once, without the fuzzer.
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz {
namespace {

std::vector<std::filesystem::path> files_in(const std::string& kind, const std::string& target) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(ASCRIBE_SOURCE_DIR) / "tests/fuzz" / kind / target;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class FuzzTargets : public testing::TestWithParam<const Target*> {};

TEST_P(FuzzTargets, TakesSeedsAndOldFindings) {
  const Target& target = *GetParam();
  const auto seeds = files_in("seeds", target.name);
  EXPECT_FALSE(seeds.empty()) << "the fuzzer begins with seeds: tests/fuzz/seeds/" << target.name;
  for (const std::string kind : {"seeds", "crashers"}) {
    for (const auto& file : files_in(kind, target.name)) {
      const std::string bytes = read_file(file);
      EXPECT_NO_THROW(feed(target, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()})) << file;
    }
  }
}

// A target that refuses all its seeds looks at nothing.
TEST_P(FuzzTargets, AcceptsASeed) {
  const Target& target = *GetParam();
  size_t accepted = 0;
  std::string refusal;
  for (const auto& file : files_in("seeds", target.name)) {
    const std::string bytes = read_file(file);
    try {
      target.feed({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
      ++accepted;
    } catch (const std::exception& error) {
      refusal = file.filename().string() + ": " + error.what();
    }
  }
  EXPECT_GE(accepted, 1U) << refusal;
}

INSTANTIATE_TEST_SUITE_P(Fuzz, FuzzTargets, testing::ValuesIn(all_targets()),
                         [](const auto& target) { return target.param->name; });

TEST(FuzzFindings, AreOfTargetsThatThereAre) {
  for (const char* kind : {"seeds", "crashers"}) {
    const std::filesystem::path folder = std::filesystem::path(ASCRIBE_SOURCE_DIR) / "tests/fuzz" / kind;
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      EXPECT_NE(find_target(entry.path().filename().string()), nullptr) << entry.path();
    }
  }
}

TEST(FuzzFeed, LetsRefusalsPassButNotOurBugs) {
  const Target refuses{"refuses", "", Form::bytes, 1, [](Bytes) { throw Error(ErrorKind::io, "file", "damaged"); }};
  const Target breaks{"breaks", "", Form::bytes, 1, [](Bytes) { throw Error(ErrorKind::internal, "file", "our bug"); }};
  EXPECT_NO_THROW(feed(refuses, {}));
  EXPECT_THROW(feed(breaks, {}), Error);
}

}  // namespace
}  // namespace ascribe::core::fuzz
