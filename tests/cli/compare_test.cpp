#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "cli/study_room_file.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

class Compare : public testing::Test {
 protected:
  std::string model() { return study_room_file(folder_); }
  std::string row() { return study_room_row(folder_); }
  TemporaryFolder folder_;
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Compare, FindsTheEffectThatIsSharedDifferently) {
  const Said said = run_ascribe({"compare", model(), row(), "occlusion", "shapley", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  EXPECT_EQ(json["sets"][0]["support"], Json({0, 1, 2}));
  EXPECT_NEAR(json["sets"][0]["share"], 1, 1e-9);
  EXPECT_NEAR(json["sets"][0]["effect"], 2, 1e-9);
  EXPECT_FALSE(json["same"]);
}

TEST_F(Compare, SpeaksInSentences) {
  const Said said = run_ascribe({"compare", model(), row(), "occlusion", "shapley"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.out, "The two agree on what every player does alone")) << said.out;
  EXPECT_TRUE(says(said.out, "book, desk and lamp")) << said.out;
  EXPECT_TRUE(says(said.out, "effects of 3 players 100.0 %")) << said.out;
}

// The parts that are told sum to 100 %, with what is given though every player is masked and with those that are not
// named one by one.
TEST_F(Compare, TellsTheWholeDifferenceByPairs) {
  ModelMaker maker;  // 2 + x0: LRP gives the 2 to somebody, with every player masked as well
  maker.input("x", {"N", 2}).output("y");
  maker.floats("w", {2, 1}, {1, 3});
  maker.floats("b", {1}, {2});
  maker.node("Gemm", {"x", "w", "b"}, {"y"});
  const std::string file = folder_.write("m.onnx", maker.bytes());
  const std::string data = folder_.write("r.csv", "a,b\n1,1\n"), base = folder_.write("base.csv", "a,b\n0.5,0.25\n");
  const std::vector<std::string> arguments = {"compare", file,         data,          "gradient_x_input",
                                              "shapley", "--baseline", "file:" + base};
  const Said said = run_ascribe(arguments);
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.out, "given with every player masked")) << said.out;
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  const Json json = Json::parse(run_ascribe(as_json).out);
  double sum = json["share_with_every_player_masked"];
  EXPECT_NE(sum, 0);
  for (const Json& pair : json["pairs"]) sum += pair["share"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST_F(Compare, RefusesTheSameMethodTwice) {
  const Said said = run_ascribe({"compare", model(), row(), "shapley", "shapley"});
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(says(said.err, "shapley twice")) << said.err;
}

}  // namespace
}  // namespace ascribe::core
