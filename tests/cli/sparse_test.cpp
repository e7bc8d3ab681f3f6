// ascribe decompose --estimate sparse: against everything exact, with errors, in every form; what is refused.
#include <cmath>
#include <filesystem>
#include <regex>

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
const std::string kMlp = kModels + "sigmoid_mlp.onnx", kBoot = kModels + "images/ankle_boot.png";

Json json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "decompose");
  arguments.push_back("--json");
  const Said said = run_ascribe(arguments);
  EXPECT_EQ(said.code, 0) << said.err;
  return said.code == 0 ? Json::parse(said.out) : Json();
}

void expect_refused(const std::string& part, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"decompose", kMlp, kBoot, "--players", "patch:4"});
  const Said said = run_ascribe(arguments);
  EXPECT_EQ(said.code, 2) << said.err;
  EXPECT_NE(said.err.find(part), std::string::npos) << said.err;
}

TEST(Sparse, EffectsAreTheExactOnesWithinTheirErrors) {
  const Json exact = json_of({kMlp, kBoot, "--players", "grid:4x4", "--top", "100000"});
  const Json sparse = json_of({kMlp, kBoot, "--players", "grid:4x4", "--estimate", "sparse", "--budget", "6000"});
  EXPECT_FALSE(sparse["exact"]);
  EXPECT_EQ(sparse["output"], exact["output"]);
  EXPECT_GT(sparse["estimated"]["held_out"]["r2"], 0.9);
  EXPECT_LE(sparse["evaluations"], 6000);
  double all = 0, miss = 0;
  int64_t looked_up = 0;
  for (const Json& one : sparse["effects"]) {
    EXPECT_GE(one["standard_error"], 0);
    EXPECT_TRUE(one.contains("exact") || one.contains("interval_95")) << one;
    if (!one.contains("exact")) continue;
    for (const Json& other : exact["effects"]) {
      if (other["support"] != one["support"]) continue;
      EXPECT_NEAR(one["exact"].get<double>(), other["value"].get<double>(), 1e-3);
      ++looked_up;
    }
  }
  EXPECT_GE(looked_up, 10);
  // Shapley values are of the game; the single effects are those of a sparse game that is like it.
  const Json shapley = json_of({kMlp, kBoot, "--players", "grid:4x4", "--index", "shapley"})["index"]["effects"];
  for (const Json& one : shapley) {
    double found = 0;
    for (const Json& other : sparse["estimated"]["indices"]["shapley"]["effects"]) {
      if (other["support"] == one["support"]) found = other["value"];
    }
    all += std::abs(one["value"].get<double>());
    miss += std::abs(one["value"].get<double>() - found);
  }
  EXPECT_LT(miss, 0.1 * all);
}

TEST(Sparse, SaysHowFarItCanBeBelievedInWords) {
  const Said said = run_ascribe({"decompose", kMlp, kBoot, "--players", "patch:4", "--estimate", "sparse", "--budget",
                                 "3000", "--index", "shapley", "--samples", "3000", "--top", "5"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* part :
       {"estimated effect", "+- (95 %)", "held out", "R2 ", "coalitions that were not used", "not found",
        "second derivatives", "Shapley value, from the estimated effects", "values agree within both 95 % errors",
        "players in the set", "looked up", "In company", "alone, J(S)", " exact "}) {
    EXPECT_NE(said.out.find(part), std::string::npos) << part << "\n" << said.out;
  }
}

TEST(Sparse, WritesArraysAndPictures) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  const Said said = run_ascribe(
      {"decompose", kMlp, kBoot, "--players", "patch:4", "--estimate", "sparse", "--budget", "2000", "-o", out});
  ASSERT_EQ(said.code, 0) << said.err;
  for (const char* name : {"network.svg", "sets.svg", "independent.svg", "orders.svg", "effects.json", "effects.npz"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(out) / name)) << name;
  }
}

TEST(Sparse, ErrorsOfDrawingAloneAreCalledSo) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  const Json json =
      json_of({kMlp, kBoot, "--players", "patch:7", "--estimate", "sparse", "--budget", "1500", "--and-or", "-o", out});
  for (const Json& one : json["estimated"]["indices"]["shapley"]["effects"]) {
    EXPECT_TRUE(one.contains("drawing_error") && one.contains("drawing_interval_95")) << one;
    EXPECT_FALSE(one.contains("interval_95")) << one;
  }
  EXPECT_NE(read_file(out + "/and_or.svg").find("AND and OR"), std::string::npos);
}

TEST(Sparse, TheSameSeedGivesTheSameEffects) {
  const std::vector<std::string> asked = {kMlp,     kBoot,      "--players", "patch:7", "--estimate",
                                          "sparse", "--budget", "1500",      "--seed",  "4"};
  Json first = json_of(asked), second = json_of(asked);
  first.erase("seconds"), second.erase("seconds");
  EXPECT_EQ(first, second);
}

// All of the budget goes into finding them: none is looked up, and what is in the fit is not called J(S).
TEST(Sparse, WithoutEvaluationsToVerifyNothingIsCalledKnown) {
  const Said said =
      run_ascribe({"decompose", kMlp, kBoot, "--players", "grid:5x5", "--estimate", "sparse", "--budget", "128"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(std::regex_search(said.out, std::regex("unknown +unknown"))) << said.out;  // J(S) and its interval
  EXPECT_EQ(said.out.find("exact"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("In company"), std::string::npos) << said.out;
}

// The baseline is the input: every coalition has the same value.
TEST(Sparse, WhereNothingHappensNoEffectIsTold) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  const Said said = run_ascribe({"decompose", kMlp, kBoot, "--players", "patch:4", "--estimate", "sparse", "--budget",
                                 "500", "--and-or", "--baseline", "file:" + kBoot, "-o", out});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("nothing to explain"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("no effect was found"), std::string::npos) << said.out;
  for (const char* part : {"+- (95 %)", "+- (drawing)", "players in the set", "R2 where not fitted", "nan"}) {
    EXPECT_EQ(said.out.find(part), std::string::npos) << part << "\n" << said.out;
  }
  EXPECT_NE(read_file(out + "/and_or.svg").find("no effect was found"), std::string::npos);
  EXPECT_EQ(read_file(out + "/and_or.svg").find("R²"), std::string::npos);
}

TEST(Sparse, RefusesWhatDoesNotGoTogether) {
  expect_refused("expected one of sparse", {"--estimate", "dense"});
  expect_refused("there is no such estimator; got magic", {"--estimate", "sparse", "--estimator", "magic"});
  expect_refused("expected --estimate sparse with it", {"--estimator", "proxy"});
  expect_refused("expected no --estimate with it", {"--estimate", "sparse", "--taylor", "2"});
  expect_refused("takes sets of players as one", {"--estimate", "sparse", "--index", "sgv"});
  expect_refused("expected --index shapley, sii, stii, fsii", {"--estimate", "sparse", "--samples", "100"});
  expect_refused("expected at least", {"--estimate", "sparse", "--budget", "3"});
  expect_refused("expected at least", {"--estimate", "sparse", "--budget", "1"});
  expect_refused("--estimate sparse, which finds the strong effects", {});
}

}  // namespace
}  // namespace ascribe::core
