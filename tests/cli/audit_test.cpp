#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>
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
  std::string ones(int count) {
    std::string names = "a", numbers = "1";
    for (int i = 1; i < count; ++i) {
      names += fmt::format(",{}", static_cast<char>('a' + i));
      numbers += ",1";
    }
    return folder_.write(fmt::format("ones{}.csv", count), names + "\n" + numbers + "\n");
  }
  // A model of `count` columns x0, x1 ... that a function turns into y.
  std::string model_of(const std::string& name, int count, const std::function<void(ModelMaker&)>& make) {
    ModelMaker maker;
    maker.input("x", {"N", count}).output("y");
    for (int i = 0; i < count; ++i) {
      std::vector<float> unit(static_cast<size_t>(count), 0.F);
      unit[static_cast<size_t>(i)] = 1;
      maker.floats(fmt::format("unit{}", i), {count, 1}, unit);
      maker.node("MatMul", {"x", fmt::format("unit{}", i)}, {fmt::format("x{}", i)});
    }
    make(maker);
    return folder_.write(name, maker.bytes());
  }
  // 10 x0^2 x1 - 9.9 x0 x1^2
  std::string two_terms() {
    return model_of("two_terms.onnx", 2, [](ModelMaker& maker) {
      maker.floats("ten", {1}, {10});
      maker.floats("less", {1}, {9.9F});
      maker.node("Mul", {"x0", "x1"}, {"p"});
      maker.node("Mul", {"x0", "ten"}, {"a"});
      maker.node("Mul", {"x1", "less"}, {"b"});
      maker.node("Sub", {"a", "b"}, {"d"});
      maker.node("Mul", {"p", "d"}, {"y"});
    });
  }
  // tanh(40 x0) - tanh(40 x1) + x2 / 2
  std::string steep() {
    return model_of("steep.onnx", 3, [](ModelMaker& maker) {
      maker.floats("forty", {1}, {40});
      maker.floats("half", {1}, {0.5F});
      maker.node("Mul", {"x0", "forty"}, {"a"});
      maker.node("Mul", {"x1", "forty"}, {"b"});
      maker.node("Tanh", {"a"}, {"ta"});
      maker.node("Tanh", {"b"}, {"tb"});
      maker.node("Sub", {"ta", "tb"}, {"d"});
      maker.node("Mul", {"x2", "half"}, {"e"});
      maker.node("Add", {"d", "e"}, {"y"});
    });
  }
  std::string difference_of_squares() {
    return model_of("squares.onnx", 2, [](ModelMaker& maker) {
      maker.node("Mul", {"x0", "x0"}, {"a"});
      maker.node("Mul", {"x1", "x1"}, {"b"});
      maker.node("Sub", {"a", "b"}, {"y"});
    });
  }
  // relu(x0 + x1 - 1/3) - relu(x0 - 1/7): the path crosses a kink
  std::string kinked() {
    return model_of("kinked.onnx", 2, [](ModelMaker& maker) {
      maker.floats("third", {1}, {1.F / 3});
      maker.floats("seventh", {1}, {1.F / 7});
      maker.node("Add", {"x0", "x1"}, {"s"});
      maker.node("Sub", {"s", "third"}, {"a"});
      maker.node("Sub", {"x0", "seventh"}, {"b"});
      maker.node("Relu", {"a"}, {"ra"});
      maker.node("Relu", {"b"}, {"rb"});
      maker.node("Sub", {"ra", "rb"}, {"y"});
    });
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

// f = 10 x1^2 x2 - 9.9 x1 x2^2 at (1, 1): the shares of one effect have opposite signs.
TEST_F(Audit, OfAFileWithIntegratedGradientsSaysThatItNeedsNegativeShares) {
  const std::string file = values({20.0 / 3 - 3.3, 10.0 / 3 - 6.6});
  const Json json = json_of({two_terms(), ones(2), "--attribution", file});
  EXPECT_TRUE(json["allocation_possible"]);
  EXPECT_FALSE(json["without_negative_shares"]["allocation_possible"]);
  const std::string text = text_of({two_terms(), ones(2), "--attribution", file});
  EXPECT_TRUE(says(text, "It could have come from an allocation")) << text;
  EXPECT_TRUE(says(text, "But only with negative shares")) << text;
}

TEST_F(Audit, OfAFileAcceptsIntegratedGradientsOfAConvolutionalNetwork) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/";
  const std::vector<std::string> question = {models + "sigmoid_cnn.onnx", models + "images/bag.png", "--players",
                                             "grid:3x3"};
  std::vector<std::string> explain = {"explain", "--method", "integrated_gradients", "--precision", "double", "--json"};
  explain.insert(explain.begin() + 1, question.begin(), question.end());
  const Said said = run_ascribe(explain);
  ASSERT_EQ(said.code, 0) << said.err;
  const Json answer = Json::parse(said.out);
  std::vector<std::string> audit = question;
  audit.insert(audit.end(), {"--attribution", values(answer["methods"][0]["values"].get<std::vector<double>>())});
  EXPECT_TRUE(json_of(audit)["allocation_possible"]);
}

TEST_F(Audit, RefusesAFileTogetherWithMethods) {
  const Said said =
      run_ascribe({"audit", model(), row(), "--attribution", values({1, 2, 3, 4}), "--method", "shapley"});
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(says(said.err, "no method is run")) << said.err;
}

// f = tanh(40 x1) - tanh(40 x2) + x3 / 2: two effects of size 1 are missing, which cancel.
TEST_F(Audit, DoesNotLetErrorsOfOppositeSignsCancel) {
  const std::string text = text_of({steep(), ones(3), "--method", "gradient_x_input"});
  EXPECT_TRUE(says(text, "no (80.0 %)")) << text;
  EXPECT_TRUE(says(text, "Left unexplained: 2 (80.0 %) in all, of both signs")) << text;
  EXPECT_FALSE(says(text, "Nothing is left unexplained")) << text;
}

TEST_F(Audit, JudgesAQuestionWithoutAChange) {
  const std::string file = difference_of_squares();
  const std::string text = text_of({file, ones(2), "--method", "all"});
  EXPECT_TRUE(says(text, "f(x) and f(b) are the same")) << text;
  for (const char* wrong : {"nan", "inf", "piecewise"}) EXPECT_FALSE(says(text, wrong)) << text;
  const Json json = json_of({file, ones(2), "--method", "shapley,gradient_x_input"});
  EXPECT_EQ(json["methods"][0]["held"], 3);
  EXPECT_EQ(json["audit"][5]["verdict"], false);  // gradient_x_input gives every square twice
  const Said compared = run_ascribe({"compare", file, ones(2), "shapley", "gradient_x_input"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  for (const char* wrong : {"nan", "inf"}) EXPECT_FALSE(says(compared.out, wrong)) << compared.out;
}

TEST_F(Audit, LeavesOpenWhatTooFewNodesMayHaveCaused) {
  const Json json = json_of({kinked(), ones(2), "--method", "integrated_gradients", "--set", "steps=3"});
  const Json& complete = json["audit"][2];
  EXPECT_TRUE(complete["verdict"].is_null());
  EXPECT_TRUE(says(complete["reason"], "integrals"));
  EXPECT_GT(complete["figure"], complete["tolerance"]);
  const Json free = json_of({kinked(), ones(2), "--method", "integrated_gradients"});
  EXPECT_EQ(free["audit"][2]["verdict"], true);
}

TEST_F(Audit, JudgesPerTaylorTermToo) {
  const Json json = json_of({two_terms(), ones(2), "--method", "occlusion,shapley"});
  EXPECT_EQ(json["methods"][0]["taylor_terms"]["complete"]["verdict"], false);
  EXPECT_EQ(json["methods"][1]["taylor_terms"]["complete"]["verdict"], true);
  EXPECT_TRUE(says(text_of({two_terms(), ones(2), "--method", "shapley"}), "Per Taylor term"));
  const Json kinks = json_of({kinked(), ones(2), "--method", "shapley"});
  EXPECT_TRUE(says(kinks["methods"][0]["taylor_terms"]["left_out"], "kinks"));
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

TEST_F(Audit, JudgesManyPlayersByEstimatedEffectsAndSaysSo) {
  const std::string models = ASCRIBE_SOURCE_DIR "/models/";
  const Said said = run_ascribe({"audit", models + "sigmoid_mlp.onnx", models + "images/bag.png", "--method",
                                 "occlusion", "--players", "grid:4x4"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(says(said.out, "Estimated: the methods' rules")) << said.out;
  EXPECT_TRUE(says(said.out, " +- ")) << said.out;
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
