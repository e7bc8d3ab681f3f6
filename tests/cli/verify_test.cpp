#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

const std::string kModels = ASCRIBE_SOURCE_DIR "/models/";
const std::string kBag = kModels + "images/bag.png", kShirt = kModels + "images/shirt.png";

Json verified(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "verify");
  arguments.push_back("--json");
  const Said said = run_ascribe(arguments);
  EXPECT_EQ(said.code, 0) << said.err;
  return Json::parse(said.out);
}

TEST(Verify, ThePolynomialIsExactForAllSevenMethods) {
  const Json json =
      verified({kModels + "polynomial.onnx", kBag, "--sigma", "0.03,0.5", "--order", "2", "--draws", "2"});
  ASSERT_EQ(json["errors"].size(), 14U);
  for (const Json& entry : json["errors"]) EXPECT_LE(entry["error"].get<double>(), 1e-10) << entry;
}

TEST(Verify, TheSigmoidNetworkConvergesNearbyAndDivergesFarAway) {
  const Json json = verified(
      {kModels + "sigmoid_mlp.onnx", kBag, kShirt, "--sigma", "0.03,0.5", "-m", "occlusion,integrated_gradients"});
  double last = 1;
  for (const Json& entry : json["errors"]) {
    if (entry["sigma"] == 0.5) {
      EXPECT_TRUE(entry["error"].is_null()) << entry;
      EXPECT_EQ(entry["inside"], 0);
      continue;
    }
    if (entry["order"] == 2) last = 1;
    EXPECT_LT(entry["error"].get<double>(), last) << entry;
    last = entry["error"];
    if (entry["order"] == 2) {
      EXPECT_LT(last, 0.05);
    }
    if (entry["order"] == 8) {
      EXPECT_LT(last, 1e-6);
    }
  }
  EXPECT_EQ(json["series"][1]["inputs"][0]["series"], "diverges");
}

TEST(Verify, SupportOnlyRulesHoldAtAnyDistanceWithFewPlayers) {
  const Json json = verified({kModels + "sigmoid_mlp.onnx", kBag, "--players", "grid:2x2", "--sigma", "0.03,0.5,2"});
  int64_t with_dividends = 0;
  for (const Json& entry : json["checks"]) {
    EXPECT_LT(entry["listed_difference"].get<double>(), 1e-8) << entry;
    if (!entry.contains("dividend_error")) continue;
    ++with_dividends;
    EXPECT_LE(entry["dividend_error"].get<double>(), 1e-10) << entry;
  }
  EXPECT_EQ(with_dividends, 9) << "three rules at three distances";
}

TEST(Verify, TellsDivergenceInsteadOfANumber) {
  const Said said = run_ascribe(
      {"verify", kModels + "sigmoid_mlp.onnx", kBag, "--sigma", "0.5", "-m", "occlusion", "--order", "2,8"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("occlusion  diverges  diverges"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("diverges for 1"), std::string::npos) << said.out;
}

TEST(Verify, SaysOneThingOfNetworksWithKinks) {
  const Said said = run_ascribe({"verify", kModels + "tabular_mlp.onnx", kModels + "tabular_sample.csv", "--sigma", "3",
                                 "--order", "1,2", "--inputs", "3", "--quiet"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("converges for 0 of 3 inputs, is that of another piece for 3 (kinks lie between)\n"),
            std::string::npos)
      << said.out;
  EXPECT_EQ(said.out.find("diverges"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("every distance is inside"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("  shapley                kinks"), std::string::npos) << said.out;
}

// The series of the smoothed network reaches less far as it comes nearer to the network: like 1 / T.
TEST(Verify, SmoothedKinksAreNearerAndReachLessFarAsTheTemperatureGrows) {
  const Json json = verified({kModels + "tabular_mlp.onnx", kModels + "tabular_sample.csv", "--sigma", "0.3", "--order",
                              "2,8", "--inputs", "2", "--smooth", "1,10,100", "-m", "occlusion,integrated_gradients"});
  ASSERT_EQ(json["smoothed"].size(), 3U);
  double difference = 1e9, radius = 1e9;
  for (const Json& one : json["smoothed"]) {
    EXPECT_LT(one["output_difference"].get<double>(), difference);
    difference = one["output_difference"];
    const double own = one["series"][0]["inputs"][0]["radius"];
    EXPECT_LT(own, radius / 2);
    radius = own;
  }
  for (const Json& error : json["smoothed"][0]["errors"]) {
    ASSERT_EQ(error["inside"], 2) << error;
    if (error["order"] == 8) {
      EXPECT_LT(error["error"].get<double>(), 1e-6) << error;
    }
  }
}

TEST(Verify, WritesAChartOfTheTemperatures) {
  const TemporaryFolder folder;
  const Said said =
      run_ascribe({"verify", kModels + "tabular_mlp.onnx", kModels + "tabular_sample.csv", "--sigma", "0.3", "--order",
                   "2", "--inputs", "1", "--smooth", "1,5", "--out", folder.path("smooth"), "--quiet"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(read_file(folder.path("smooth/smoothing.svg")).find("temperature T"), std::string::npos);
  EXPECT_NE(read_file(folder.path("smooth/smoothing.csv")).find("\n5,0.3,shapley,2,"), std::string::npos);
  const Said refused = run_ascribe({"verify", kModels + "sigmoid_mlp.onnx", kBag, "--smooth", "1"});
  EXPECT_NE(refused.err.find("no kinks that could be smoothed"), std::string::npos) << refused.err;
}

TEST(Verify, TakesTheBundledModelsIfNoneIsGiven) {
  const Json json = verified({"--inputs", "1", "--sigma", "0.03", "--order", "2", "-m", "occlusion"});
  EXPECT_EQ(json["errors"].size(), 6U) << "three models, by pixels and by a grid";
  for (const Json& error : json["errors"]) {
    if (error["model"] == "sigmoid_mlp.onnx") continue;
    EXPECT_LE(error["error"].get<double>(), 1e-10) << error;
  }
  EXPECT_TRUE(json["modules"].empty()) << "a choice of methods leaves the layer-wise ones out";
}

TEST(Verify, RefusesWhatMakesNoSense) {
  EXPECT_EQ(run_ascribe({"verify", kModels + "sigmoid_mlp.onnx"}).code, 2);
  EXPECT_EQ(run_ascribe({"verify", "--precision", "float"}).code, 2);
  EXPECT_EQ(run_ascribe({"verify", "--sigma", "-1", "--inputs", "1"}).code, 2);
  const Said said = run_ascribe({"verify", "-m", "lrp_epsilon", "--inputs", "1"});
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.err.find("lrp_epsilon is not verified on whole models"), std::string::npos) << said.err;
}

}  // namespace
}  // namespace ascribe::core
