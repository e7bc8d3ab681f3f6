#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/run_ascribe.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";

// 12 players: 4 subcubes of 1024 sets.
class SharedGame : public testing::Test {
 protected:
  std::vector<std::string> question(const std::string& players) const {
    return {"decompose",
            kModels + "relu_vgg.onnx",
            kModels + "images/ankle_boot.png",
            "--players",
            players,
            "--precision",
            "double",
            "--quiet"};
  }
  Said run(const std::vector<std::string>& more, const std::string& players = "grid:3x4") const {
    std::vector<std::string> words = question(players);
    words.insert(words.end(), more.begin(), more.end());
    return run_ascribe(words);
  }
  void share(int count, const std::string& folder) const {
    for (int i = 1; i <= count; ++i) {
      const Said said = run({"--shard", std::to_string(i) + "/" + std::to_string(count), "--out", folder});
      EXPECT_EQ(said.code, 0) << said.err;
      EXPECT_NE(said.out.find("shard"), std::string::npos);
    }
  }

  TemporaryFolder folder_;
};

TEST_F(SharedGame, MergedItSaysWhatOneProcessSays) {
  const std::string parts = folder_.path("parts"), out = folder_.path("effects.json");
  share(3, parts);
  const Said merged = run_ascribe({"merge", parts, "--out", out, "--quiet"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_NE(merged.out.find("Shapley"), std::string::npos) << merged.out;
  Json together = Json::parse(read_file(out)), alone = Json::parse(run({"--json"}).out);
  EXPECT_EQ(together["shapley"].size(), 12U);
  for (const char* key : {"seconds", "notes", "parts", "shapley", "banzhaf", "record"}) {
    together.erase(key);
    alone.erase(key);
  }
  EXPECT_EQ(together, alone);
  EXPECT_EQ(run_ascribe({"merge", parts, "--out", out, "--quiet"}).code, 5);  // it is there

  const std::string table = folder_.path("table.npy");
  ASSERT_EQ(run_ascribe({"merge", parts, "--out", table, "--quiet"}).code, 0);
  const std::string arrays = folder_.path("alone.npz");
  ASSERT_EQ(run({"--out", arrays}).code, 0);
  const Array written = parse_npy(read_file(table), table);
  for (const Array& array : parse_npz(read_file(arrays), arrays)) {
    if (array.name != "dividends") continue;
    const auto a = array.values.data<double>(), b = written.values.data<double>();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
}

TEST_F(SharedGame, PartsThatAreNotWholeAreNamed) {
  const std::string parts = folder_.path("parts"), out = folder_.path("effects.json");
  share(2, parts);
  const std::string first = parts + "/game-000000-000000.part";
  ASSERT_TRUE(std::filesystem::exists(first));
  std::filesystem::remove(first);
  const Said missing = run_ascribe({"merge", parts, "--out", out, "--quiet"});
  EXPECT_EQ(missing.code, 5);
  EXPECT_NE(missing.err.find("0"), std::string::npos) << missing.err;
  EXPECT_FALSE(std::filesystem::exists(out));
  share(1, parts);
  EXPECT_EQ(run_ascribe({"merge", parts, "--out", out, "--quiet"}).code, 0);
}

TEST_F(SharedGame, EveryShardWritesItsPartsAndSkipsWhatIsThere) {
  const std::string parts = folder_.path("parts");
  share(3, parts);
  EXPECT_TRUE(std::filesystem::exists(parts + "/game-000003-000003.part"));
  const Json again = Json::parse(run({"--shard", "1/1", "--out", parts, "--json"}).out);
  EXPECT_EQ(again["subcubes"], 4);
  EXPECT_EQ(again["of_this_shard"], 4);
  EXPECT_EQ(again["computed"], 0);
}

TEST_F(SharedGame, WrongUseIsRefused) {
  const auto refused = [&](int code, const std::string& part, const std::vector<std::string>& more,
                           const std::string& players = "grid:3x4") {
    const Said said = run(more, players);
    EXPECT_EQ(said.code, code) << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_NE(said.err.find(part), std::string::npos) << said.err;
  };
  const std::string parts = folder_.path("parts");
  refused(2, "--out", {"--shard", "1/2"});
  refused(2, "--shard", {"--shard", "3/2", "--out", parts});
  refused(2, "--shard", {"--shard", "auto", "--out", parts});
  refused(2, "--shard", {"--shard", "none", "--out", parts});
  refused(2, "folder", {"--shard", "1/2", "--out", folder_.path("parts.npz")});
  refused(2, "--order", {"--shard", "1/2", "--out", parts, "--order", "2"});
  refused(2, "2^25", {"--shard", "1/2", "--out", parts}, "grid:5x5");
  EXPECT_FALSE(std::filesystem::exists(parts));
}

}  // namespace
}  // namespace ascribe::core
