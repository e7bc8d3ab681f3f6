// Groups of methods compared image by image, on scores that are made up.
#include "study/reproduce/groups.h"

#include <cmath>

#include <gtest/gtest.h>

namespace ascribe::core::study::paper {
namespace {

// One metric, four images.
ScoredNetwork scored(const std::string& metric, bool medians) {
  ScoredNetwork network;
  network.name = "made up";
  network.plan.metrics = {metric};
  network.plan.medians = medians;
  network.images = 4;
  const auto add = [&](const char* method, int principles, std::vector<double> scores) {
    network.methods.push_back({method_named(method), principles, {}, {std::move(scores)}, ""});
  };
  add("shapley", 3, {1, 1, 1, 9});
  add("integrated_gradients", 3, {3, 3, 3, 9});
  add("lrp_epsilon", 2, {4, 4, 1e6, 1});
  add("occlusion", 2, {5, 5, 1, 1});
  add("gradient_x_input", 2, {6, 6, 0, NAN});
  network.methods.push_back({method_named("occlusion_patch"), 1, {}, {{NAN, NAN, NAN, NAN}}, "not possible"});
  return network;
}

TEST(GroupsOfMethods, AreComparedByTheirMediansWhereMeansWouldBeOneMethods) {
  // Medians of the first: 2 2 2 9; of the second: 5 5 1 1. Lower is better, so the first wins on two of four.
  const std::vector<GroupComparison> by_median = compared_groups(scored("infidelity", true));
  ASSERT_EQ(by_median.size(), 1U) << "a method that is left out makes no group";
  EXPECT_EQ(by_median[0].more, 3);
  EXPECT_EQ(by_median[0].fewer, 2);
  EXPECT_EQ(by_median[0].sign.count, 4);
  EXPECT_EQ(by_median[0].better, 2);
  EXPECT_DOUBLE_EQ(by_median[0].sign.p, 1);
  // By means, a single huge score decides the third image as well.
  EXPECT_EQ(compared_groups(scored("infidelity", false))[0].better, 3);
}

TEST(GroupsOfMethods, KnowWhichDirectionIsBetter) {
  EXPECT_EQ(compared_groups(scored("bounding_box_accuracy", true))[0].better, 2);
  EXPECT_EQ(compared_groups(scored("bounding_box_accuracy", false))[0].better, 1) << "9 against 1 alone";
}

TEST(GroupsOfMethods, AreCorrectedTogether) {
  GroupComparison first, second;
  first.sign.p = first.rank.p = 0.01;
  second.sign.p = 0.04;
  second.rank.p = 0.001;
  correct({&first, &second});
  EXPECT_DOUBLE_EQ(first.sign_p, 0.02);
  EXPECT_DOUBLE_EQ(second.sign_p, 0.04);
  EXPECT_DOUBLE_EQ(first.rank_p, 0.01);
  EXPECT_DOUBLE_EQ(second.rank_p, 0.002);
  first.better = 56;
  first.sign.count = 60;
  EXPECT_EQ(test_text(first), "56 of 60, p = 0.02, 0.01");
}

TEST(GroupsOfMethods, AverageOverTheirMethodsAndTheImages) {
  const std::vector<GroupScore> groups = group_scores(scored("infidelity", true), 0);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].principles, 3);
  EXPECT_EQ(groups[1].methods, 2);
  EXPECT_DOUBLE_EQ(groups[1].by_metric[0].mean, (2 + 2 + 2 + 9) / 4.0);
  EXPECT_EQ(p_text(9.08e-13), "9e-13");
  EXPECT_EQ(p_text(1), "1");
}

}  // namespace
}  // namespace ascribe::core::study::paper
