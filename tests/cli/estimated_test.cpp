// decompose, compare, audit and report of more players than every set can be masked of: estimated, with errors.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/many_players_model.h"
#include "cli/run_ascribe.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

class Estimated : public testing::Test {
 protected:
  std::string model() { return folder_.write("many.onnx", many_players_bytes()); }
  std::string row() { return folder_.write("row.csv", many_players_row()); }
  std::vector<std::string> asking(const std::string& verb, std::vector<std::string> more) {
    std::vector<std::string> all = {verb, model(), row()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static Json json_of(const std::vector<std::string>& arguments) {
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? Json::parse(said.out) : Json();
  }
  TemporaryFolder folder_;
};

double value_of(const Json& effects, const std::vector<int>& support) {
  for (const Json& one : effects) {
    if (one["support"] == Json(support)) return one["value"];
  }
  return 0;
}

TEST_F(Estimated, EffectsAreThoseOfThePolynomial) {
  const Json json = json_of(asking("decompose", {"--estimate", "sparse", "--budget", "2000", "--json"}));
  EXPECT_NEAR(value_of(json["effects"], {0, 1}), 4, 1e-3);
  EXPECT_NEAR(value_of(json["effects"], {2, 3, 4}), 3, 1e-3);
  EXPECT_NEAR(value_of(json["effects"], {19}), 1.9, 1e-3);
  EXPECT_GT(json["estimated"]["held_out"]["r2"], 0.999);
  EXPECT_NEAR(value_of(json["estimated"]["indices"]["shapley"]["effects"], {2}), 0.2 + 1, 1e-3);
  EXPECT_NEAR(value_of(json["estimated"]["indices"]["sii"]["effects"], {2, 3}), 1.5, 1e-3);
}

TEST_F(Estimated, ADirectEstimateOfTheIndexAgrees) {
  const Json json = json_of(asking(
      "decompose", {"--estimate", "sparse", "--budget", "2000", "--index", "shapley", "--samples", "2000", "--json"}));
  const Json& direct = json["estimated"]["direct"];
  EXPECT_EQ(direct["compared"], 20);
  EXPECT_GE(direct["agree"], 15);
}

TEST_F(Estimated, CompareSaysThatItIsEstimatedAndCarriesErrors) {
  const Json json = json_of(
      asking("compare", {"shapley", "occlusion", "--players", "columns", "--json", "--set", "shapley.samples=200"}));
  ASSERT_TRUE(json.contains("estimated"));
  EXPECT_FALSE(json.contains("sets"));
  const Json& sets = json["estimated"]["sets"];
  EXPECT_EQ(sets[0]["support"], Json({2, 3, 4})) << "2 of 3 thirds more for each of three players";
  EXPECT_NEAR(sets[0]["effect"], 3, 0.01);
  EXPECT_NEAR(sets[0]["first"], 1, 0.01);
  EXPECT_NEAR(sets[0]["second"], 3, 0.01);
  EXPECT_TRUE(sets[0].contains("share_error"));
  EXPECT_NEAR(json["estimated"]["explained"], 1, 0.1);
  const Said said = run_ascribe(asking("compare", {"shapley", "occlusion", "--players", "columns"}));
  EXPECT_NE(said.out.find("estimated: "), std::string::npos) << said.out << said.err;
}

TEST_F(Estimated, CompareOfMethodsWithoutARuleGoesPlayerByPlayer) {
  const Said said = run_ascribe(asking("compare", {"shapley", "integrated_gradients", "--players", "columns"}));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("compared player by player"), std::string::npos) << said.err;
  EXPECT_EQ(said.out.find("estimated"), std::string::npos) << said.out;
}

TEST_F(Estimated, AuditJudgesByTheRuleAndSaysSo) {
  const Json json = json_of(
      asking("audit", {"--method", "shapley,occlusion,integrated_gradients", "--players", "columns", "--json"}));
  ASSERT_EQ(json["audit"].size(), 6);
  for (const Json& one : json["audit"]) {
    EXPECT_EQ(one["measured_by"], "rule, on estimated effects");
    const bool fails = one["method"] == "occlusion" && one["principle"] == "complete";
    EXPECT_EQ(one["verdict"], Json(!fails)) << one;
    if (fails) {
      // The pair is given once too often and the triple twice: (4 + 6) of all effects.
      EXPECT_NEAR(one["figure"], (4 + 2 * 3) / (4 + 3 + 19.0), 0.01);
    }
  }
  EXPECT_EQ(json["left_out"][0]["name"], "integrated_gradients");
  EXPECT_GT(json["estimated"]["r2"], 0.99);
}

TEST_F(Estimated, AuditWithoutAnyRuleIsRefused) {
  const Said said = run_ascribe(asking("audit", {"--method", "integrated_gradients", "--players", "columns"}));
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.err.find("expected at most 12"), std::string::npos) << said.err;
}

TEST_F(Estimated, TheReportHasASectionOfItsOwn) {
  const std::string page = folder_.path("report.html");
  const Said said = run_ascribe(asking("report", {"--method", "occlusion", "-o", page}));
  ASSERT_EQ(said.code, 0) << said.err;
  const std::string html = read_file(page);
  EXPECT_NE(html.find("Together, in finer parts"), std::string::npos);
  EXPECT_NE(html.find("These are estimates"), std::string::npos);
  const Json json = Json::parse(read_file(folder_.path("report.json")));
  const Json& estimated = json["rows"][0]["estimated"];
  EXPECT_EQ(estimated["interactions"][0]["players"], Json({0, 1}));
  EXPECT_NEAR(estimated["interactions"][0]["value"], 4, 0.01);
  const std::string again = folder_.path("again.html");
  ASSERT_EQ(run_ascribe({"render", folder_.path("report.json"), "-o", again}).code, 0);
  EXPECT_NE(read_file(again).find("Together, in finer parts"), std::string::npos);
}

}  // namespace
}  // namespace ascribe::core
