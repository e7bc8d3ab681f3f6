// Forests of more columns than coalitions could be evaluated for, as a user asks about them.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "onnx/exporter.h"
#include "support/folder.h"
#include "support/random_trees.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

constexpr int kColumns = 40;

class Trees : public testing::Test {
 protected:
  std::string forest() {
    return folder_.write("forest.onnx", export_model(tree_graph(random_trees(30, 4, kColumns, 3), kColumns), {}));
  }
  // Two rows.
  std::string table() {
    std::string text;
    for (int c = 0; c < kColumns; ++c) text += fmt::format("{}c{}", c == 0 ? "" : ",", c);
    for (uint64_t r = 0; r < 2; ++r) {
      const std::vector<double> row = random_row(kColumns, r);
      for (int c = 0; c < kColumns; ++c) text += fmt::format("{}{}", c == 0 ? "\n" : ",", row[static_cast<size_t>(c)]);
    }
    return folder_.write("rows.csv", text + "\n");
  }
  static Json json_of(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const Said said = run_ascribe(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? Json::parse(said.out) : Json();
  }
  // f of a row by hand.
  static double output(const std::vector<double>& row) {
    return slow_tree_output(random_trees(30, 4, kColumns, 3), row);
  }

  TemporaryFolder folder_;
};

TEST_F(Trees, AllEffectsOfFortyColumnsAddUp) {
  const Json said = json_of({"decompose", forest(), table(), "--row", "0"});
  EXPECT_TRUE(said["exact"]);
  EXPECT_NEAR(said["output"].get<double>(), output(random_row(kColumns, 0)), 1e-5);
  EXPECT_NEAR(said["remainder"].get<double>(), 0, 1e-12);
  double sum = 0;
  for (const Json& effect : said["effects"]) sum += effect["value"].get<double>();
  EXPECT_NEAR(sum, said["output"].get<double>() - said["baseline_output"].get<double>(), 1e-12);
  // A single column's effect is what it does alone.
  std::vector<double> alone(kColumns, 0.0);
  const Json& first = said["effects"][0]["support"];
  if (first.size() == 1) {
    alone[first[0].get<size_t>()] = random_row(kColumns, 0)[first[0].get<size_t>()];
    EXPECT_NEAR(said["effects"][0]["value"].get<double>(), output(alone) - said["baseline_output"].get<double>(), 1e-5);
  }
}

TEST_F(Trees, AnIndexOfFortyColumnsIsExact) {
  const Json said = json_of({"decompose", forest(), table(), "--row", "0", "--index", "k_sii"});
  double sum = 0;
  for (const Json& effect : said["index"]["effects"]) sum += effect["value"].get<double>();
  EXPECT_NEAR(sum, said["output"].get<double>() - said["baseline_output"].get<double>(), 1e-10);
}

TEST_F(Trees, ShapleyValuesOfFortyColumnsAreExact) {
  const Said said = run_ascribe({"explain", forest(), table(), "--row", "0", "--method", "shapley"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("exact"), std::string::npos) << said.out;
  EXPECT_NE(said.err.find("exact for any number of players"), std::string::npos) << said.err;
}

TEST_F(Trees, WhatTheyCannotDoIsSaid) {
  const Said gradient = run_ascribe({"explain", forest(), table(), "--row", "0", "--method", "gradient"});
  EXPECT_EQ(gradient.code, 4) << gradient.err;
  EXPECT_NE(gradient.err.find("decision trees are constant"), std::string::npos) << gradient.err;
  const Said taylor = run_ascribe({"decompose", forest(), table(), "--row", "0", "--taylor", "2"});
  EXPECT_NE(taylor.code, 0);
  const Said and_or = run_ascribe({"decompose", forest(), table(), "--row", "0", "--and-or"});
  EXPECT_NE(and_or.code, 0);
  EXPECT_NE(and_or.err.find("expected at most"), std::string::npos) << and_or.err;
}

}  // namespace
}  // namespace ascribe::core
