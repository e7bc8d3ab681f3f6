// Groups of explanations, how far explanations lie apart, and partners, against what is plain to see.
#include "study/explanation_groups.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "study/disagreement.h"
#include "study/partners.h"

namespace ascribe::core::study {
namespace {

using Values = std::vector<double>;

TEST(Disagreement, IsTheShareThatIsPlacedDifferently) {
  EXPECT_DOUBLE_EQ(*placed_differently(Values{1, 3}, Values{10, 30}), 0);  // a factor does not count
  EXPECT_DOUBLE_EQ(*placed_differently(Values{1, 0}, Values{0, 5}), 1);    // nothing in common
  EXPECT_DOUBLE_EQ(*placed_differently(Values{1, 2}, Values{-1, -2}), 1);  // opposite
  EXPECT_DOUBLE_EQ(*placed_differently(Values{1, 1}, Values{1, 0}), 0.5);
  EXPECT_DOUBLE_EQ(*placed_differently(Values{0, 0}, Values{1, 0}), 1);
  EXPECT_FALSE(placed_differently(Values{0, 0}, Values{0, 0}));
  EXPECT_DOUBLE_EQ(*placed_differently(Values{1e308, 1e308}, Values{1, 1}), 0);  // no sum overflows
}

TEST(Disagreement, FindsTheTwoThatAreFurthestApart) {
  const std::vector<Values> lists = {{1, 1}, {2, 1}, {0, 3}, {0, 0}};
  const auto apart = furthest_apart(lists);
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->share, 1);  // one says that nothing matters
  EXPECT_EQ(apart->second, 3u);
  EXPECT_FALSE(furthest_apart(std::vector<Values>{{1, 2}}));
}

// Two bundles of directions, with some noise.
std::vector<Values> bundles(size_t each) {
  const Random random(7);
  std::vector<Values> units;
  for (size_t i = 0; i < 2 * each; ++i) {
    const double noise = 0.1 * random.normal(i);
    units.push_back(unit_strength(i % 2 == 0 ? Values{3 + noise, 1, 0.2} : Values{0.2, noise, -4}));
  }
  return units;
}

TEST(ExplanationGroups, FindsTheBundlesThatAreThere) {
  const std::vector<Values> units = bundles(20);
  const Groups groups = group_explanations(units);
  ASSERT_EQ(groups.centres.size(), 2u);
  EXPECT_GT(groups.silhouette, 0.9);
  for (size_t i = 0; i < units.size(); ++i) {
    EXPECT_EQ(groups.group_of[i], groups.group_of[i % 2]) << i;
    EXPECT_EQ(nearest_centre(units[i], units, groups.centres), groups.group_of[i]);
  }
  EXPECT_NE(groups.group_of[0], groups.group_of[1]);
}

// The mean silhouette by its definition, in obvious loops.
double silhouette_of(const std::vector<Values>& units, const Groups& groups) {
  const auto distance = [&](size_t i, size_t j) { return placed_differently(units[i], units[j]).value_or(0); };
  double sum = 0;
  for (size_t i = 0; i < units.size(); ++i) {
    std::vector<double> means;
    double own = 0, least = INFINITY;
    for (size_t g = 0; g < groups.centres.size(); ++g) {
      double all = 0, count = 0;
      for (size_t j = 0; j < units.size(); ++j) {
        if (j != i && groups.group_of[j] == g) all += distance(i, j), ++count;
      }
      if (g == groups.group_of[i]) own = count > 0 ? all / count : -1;
      else if (count > 0) least = std::min(least, all / count);
    }
    if (own >= 0 && std::max(own, least) > 0) sum += (least - own) / std::max(own, least);
  }
  return sum / static_cast<double>(units.size());
}

TEST(ExplanationGroups, SilhouetteIsTheMeanOfItsDefinition) {
  const std::vector<Values> units = bundles(9);
  const Groups groups = group_explanations(units);
  EXPECT_NEAR(groups.silhouette, silhouette_of(units, groups), 1e-12);
}

TEST(ExplanationGroups, OneGroupOfWhatIsAllTheSameAndOfFewRows) {
  const std::vector<Values> same(30, Values{0.5, 0.5});
  EXPECT_EQ(group_explanations(same).centres.size(), 1u);
  EXPECT_EQ(group_explanations(same).silhouette, 0);
  EXPECT_EQ(group_explanations(std::vector<Values>{{1, 0}, {0, 1}}).centres.size(), 1u);
  EXPECT_TRUE(group_explanations(std::vector<Values>{}).centres.empty());
}

TEST(ExplanationGroups, ASingleOddRowIsNoGroup) {
  std::vector<Values> units(60, Values{1, 0, 0});
  for (size_t i = 0; i < units.size(); ++i) units[i] = unit_strength(Values{1, 0.001 * static_cast<double>(i), 0});
  units.push_back({0, 0, -1});
  const Groups groups = group_explanations(units);
  std::vector<size_t> sizes(groups.centres.size(), 0);
  for (const size_t g : groups.group_of) ++sizes[g];
  for (const size_t size : sizes) EXPECT_GE(size, 2u);
}

TEST(Partners, JointStrengthIsTheShapleyInteractionIndex) {
  // v = x0 x1 x2 + 2 x0 x1: dividends of {0, 1} and {0, 1, 2}.
  Dividends dividends{3, std::vector<double>(8, 0.0), 0, 8};
  dividends.values[0b011] = 2;
  dividends.values[0b111] = 1;
  const std::vector<double> joint = joint_strengths(dividends);
  EXPECT_DOUBLE_EQ(joint[0 * 3 + 1], 2 + 0.5);
  EXPECT_DOUBLE_EQ(joint[1 * 3 + 0], 2.5);
  EXPECT_DOUBLE_EQ(joint[0 * 3 + 2], 0.5);
  EXPECT_DOUBLE_EQ(joint[0], 0);
}

TEST(Partners, ByValuesFindsTheFactorAndNothingWhereNothingIsLeft) {
  const Random random(3);
  std::vector<Values> values(3);
  Values product, alone;
  for (size_t i = 0; i < 200; ++i) {
    for (size_t f = 0; f < 3; ++f) values[f].push_back(random.uniform(3 * i + f));
    product.push_back((values[0].back() > 0.5 ? 1 : 0.5) * values[2].back());
    alone.push_back(values[0].back() > 0.5 ? 1 : 0);
  }
  for (double& value : values[0]) value = value > 0.5 ? 1 : 0;
  const auto partner = partner_by_values(0, values, product);
  ASSERT_TRUE(partner);
  EXPECT_EQ(partner->feature, 2u);
  EXPECT_GT(partner->correlation, 0.9);
  EXPECT_FALSE(partner_by_values(0, values, alone));  // its own value says everything
  EXPECT_FALSE(partner_by_values(0, values, Values(200, 0.0)));
}

}  // namespace
}  // namespace ascribe::core::study
