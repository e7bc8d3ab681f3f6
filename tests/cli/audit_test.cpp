#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/run_ascribe.h"
#include "cli/study_room_file.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

class Audit : public testing::Test {
 protected:
  std::string model() { return study_room_file(folder_); }
  std::string row() { return study_room_row(folder_); }
  std::string values(const std::vector<double>& numbers) {
    return folder_.write("a.npy", format_npy(Tensor::of<double>({std::ssize(numbers)}, numbers)));
  }
  static Json json_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "audit");
    arguments.push_back("--json");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? Json::parse(said.out) : Json();
  }
  static std::string text_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "audit");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out;
  }
  TemporaryFolder folder_;
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Audit, InGeneralHasAllVerdictsFromTheMethodsAndFromTheirRules) {
  const Json json = json_of({});
  ASSERT_EQ(json["audit"].size(), 84u);
  std::map<std::string, std::map<std::string, bool>> verdicts;
  for (const Json& one : json["audit"]) {
    EXPECT_EQ(one["verdict"], one["figure"].get<double>() <= one["tolerance"].get<double>());
    verdicts[one["measured_by"]][one["method"].get<std::string>() + " " + one["principle"].get<std::string>()] =
        one["verdict"];
  }
  EXPECT_EQ(verdicts["method"].size(), 42u);
  EXPECT_EQ(verdicts["method"], verdicts["rule"]);
}

TEST_F(Audit, InGeneralTakesParameters) {
  const Json json = json_of({"--method", "lrp_epsilon", "--set", "epsilon=100"});
  for (const Json& one : json["audit"]) {
    if (one["measured_by"] != "method" || one["principle"] != "no unrelated") continue;
    EXPECT_FALSE(one["verdict"]);
  }
}

TEST_F(Audit, OnAQuestionFindsWhatOcclusionCountsSeveralTimes) {
  const Json json = json_of({model(), row(), "--method", "occlusion,shapley"});
  EXPECT_NEAR(json["change"], 5, 1e-9);
  const Json& occlusion = json["methods"][0];
  EXPECT_NEAR(occlusion["sum"], 9, 1e-9);
  EXPECT_NEAR(occlusion["counted_again"], 4, 1e-9);
  EXPECT_NEAR(occlusion["left_unexplained"], 0, 1e-9);
  EXPECT_NEAR(json["methods"][1]["counted_again"], 0, 1e-9);
  ASSERT_EQ(json["audit"].size(), 6u);
  EXPECT_EQ(json["audit"][2]["principle"], "complete");
  EXPECT_FALSE(json["audit"][2]["verdict"]);
  EXPECT_TRUE(json["audit"][5]["verdict"]);
}

TEST_F(Audit, OnAQuestionSpeaksInSentences) {
  const std::string text = text_of({model(), row(), "--method", "occlusion,shapley"});
  EXPECT_TRUE(says(text, "occlusion: 2 of 3 principles hold here; +9 was given for a change of +5")) << text;
  EXPECT_TRUE(says(text, "Counted several times: +4 (80.0 %).")) << text;
  EXPECT_TRUE(says(text, "shapley: 3 of 3 principles hold here")) << text;
  EXPECT_TRUE(says(text, "Nothing leaked")) << text;
}

TEST_F(Audit, OfAFileFindsTheResidualAndWhatDummiesGot) {
  const Json json = json_of({model(), row(), "--attribution", values({3, 0.5, 0.5, 0.75})});
  EXPECT_NEAR(json["residual"], 0.25, 1e-9);
  EXPECT_EQ(json["dummies"], Json({3}));
  EXPECT_NEAR(json["given_to_dummies"], 0.75, 1e-9);
  EXPECT_FALSE(json["allocation_possible"]);
  EXPECT_NEAR(json["distance"], 1.75, 1e-9);  // 0.75 from the clock, 1 to the others
}

TEST_F(Audit, OfAFileAcceptsWhatAnAllocationCanGive) {
  const std::string file = values({3.5, 0, 1.5, 0});
  const Json json = json_of({model(), row(), "--attribution", file});
  EXPECT_TRUE(json["allocation_possible"]);
  EXPECT_NEAR(json["distance"], 0, 1e-9);
  EXPECT_TRUE(says(text_of({model(), row(), "--attribution", file}), "It could have come from an allocation"));
}

TEST_F(Audit, OfAFileSaysWhoGotTooLittle) {
  const std::string text = text_of({model(), row(), "--attribution", values({2, 2, 1, 0})});
  EXPECT_TRUE(says(text, "Together, book got +2, where shares that are not negative give them +3 or more.")) << text;
}

TEST_F(Audit, RefusesAFileOfTheWrongSize) {
  const Said said = run_ascribe({"audit", model(), row(), "--attribution", values({1, 2})});
  EXPECT_EQ(said.code, 5);
  EXPECT_TRUE(says(said.err, "got 2 numbers; expected one for each of the 4 players")) << said.err;
}

TEST_F(Audit, RefusesAModelWithoutDataAndAFileWithoutAModel) {
  EXPECT_EQ(run_ascribe({"audit", model()}).code, 2);
  EXPECT_EQ(run_ascribe({"audit", "--attribution", values({1})}).code, 2);
}

TEST_F(Audit, RefusesManyPlayersAndStatesTheCost) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/";
  const Said said = run_ascribe({"audit", models + "sigmoid_mlp.onnx", models + "images/bag.png", "--method",
                                 "occlusion", "--players", "grid:5x5"});
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(says(said.err, "2^25")) << said.err;
}

// ---- explain --allocations ----

TEST_F(Audit, ExplainGivesAllocationsWhoseRowsSumToTheValues) {
  const Said said =
      run_ascribe({"explain", model(), row(), "--method", "occlusion,integrated_gradients", "--allocations", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json json = Json::parse(said.out);
  for (const Json& method : json["methods"]) {
    ASSERT_EQ(method["allocations"]["values"].size(), 4u);
    ASSERT_EQ(method["allocations"]["sets"].size(), 16u);
    for (size_t p = 0; p < 4; ++p) {
      double sum = 0;
      for (const double value : method["allocations"]["values"][p]) sum += value;
      EXPECT_NEAR(sum, method["values"][p], 1e-5);  // the model is in float
    }
  }
  EXPECT_NEAR(json["methods"][0]["allocations"]["effects"][7], 2, 1e-5);
}

}  // namespace
}  // namespace ascribe::core
