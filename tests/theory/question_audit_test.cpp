#include "theory/question_audit.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/errors.h"
#include "support/study_room.h"
#include "theory/comparison.h"

namespace ascribe::core {
namespace {

SetAllocation room(const std::string& name) {
  ExplainedModel model = in_double(study_room());
  const Method& method = method_named(name);
  return allocation_per_set(method, model, study_room_question(), Parameters(name, method.parameters));
}

// Three players whose effects and shares are written down.
SetAllocation table(std::vector<double> effects, const std::vector<std::vector<double>>& rows) {
  SetAllocation allocation;
  allocation.players = static_cast<int>(rows.size());
  allocation.effects = std::move(effects);
  for (const auto& row : rows) allocation.values.insert(allocation.values.end(), row.begin(), row.end());
  return allocation;
}

TEST(QuestionAudit, OcclusionCountsTheInteractionOncePerPlayer) {
  const QuestionAudit audit = audit_question(room("occlusion"));
  EXPECT_NEAR(audit.change, 5, 1e-12);
  EXPECT_NEAR(audit.sum, 9, 1e-12);            // book 5, desk 2, lamp 2
  EXPECT_NEAR(audit.counted_again, 4, 1e-12);  // 2 given three times
  EXPECT_NEAR(audit.unexplained, 0, 1e-12);
  EXPECT_NEAR(audit.leaked, 0, 1e-12);
  EXPECT_NEAR(audit.figures.complete, 4.0 / 5, 1e-12);
  EXPECT_TRUE(audit.figures.holds(Principle::low_error));
  EXPECT_TRUE(audit.figures.holds(Principle::no_unrelated));
  EXPECT_FALSE(audit.figures.holds(Principle::complete));
  EXPECT_EQ(audit.imbalances[0].set, 0b111u);
  ASSERT_EQ(audit.repetitions.size(), 3u);  // three pairs share the 4 equally
  EXPECT_NEAR(audit.repetitions[0].amount, 4.0 / 3, 1e-12);
}

TEST(QuestionAudit, ShapleyHasAnEvenBalance) {
  const QuestionAudit audit = audit_question(room("shapley"));
  EXPECT_EQ(audit.figures.held(), 3);
  EXPECT_NEAR(audit.sum, 5, 1e-12);
  EXPECT_NEAR(audit.counted_again, 0, 1e-12);
}

TEST(QuestionAudit, WhatReachesOthersIsALeakFromThePlayersOfTheEffect) {
  // J(0) = 4, of which player 0 gets 1 and player 2 gets 3; J(0, 1) = 2, of which player 2 gets 1.
  const SetAllocation allocation = table(
      {10, 4, 0, 2, 0, 0, 0, 0}, {{0, 1, 0, 0.5, 0, 0, 0, 0}, {0, 0, 0, 0.5, 0, 0, 0, 0}, {0, 3, 0, 1, 0, 0, 0, 0}});
  const QuestionAudit audit = audit_question(allocation);
  EXPECT_NEAR(audit.change, 6, 1e-12);
  EXPECT_NEAR(audit.figures.no_unrelated, 4.0 / 6, 1e-12);
  EXPECT_NEAR(audit.figures.complete, 0, 1e-12);
  EXPECT_NEAR(audit.unrelated[2], 4, 1e-12);
  EXPECT_NEAR(audit.leaked, 4, 1e-12);
  ASSERT_GE(audit.leaks.size(), 2u);
  EXPECT_EQ(audit.leaks[0].from, 0);  // 3 of its own, half of the 1
  EXPECT_EQ(audit.leaks[0].to, 2);
  EXPECT_NEAR(audit.leaks[0].amount, 3.5, 1e-12);
  EXPECT_NEAR(audit.leaks[1].amount, 0.5, 1e-12);
}

TEST(QuestionAudit, WhatIsGivenIsTheChangeLessWhatIsLeftPlusWhatIsCountedAgain) {
  // J(0) = 4, given 1; J(1) = -2, given 3, of the wrong sign; J(0, 1) = 1, given 5; with everybody masked 0.25.
  const QuestionAudit audit = audit_question(table({7, 4, -2, 1}, {{0.25, 1, 0, 2}, {0, 0, 3, 3}}));
  EXPECT_NEAR(audit.change, 3, 1e-12);
  EXPECT_NEAR(audit.unexplained, 3 + -2, 1e-12);
  EXPECT_NEAR(audit.counted_again, 3 + 4, 1e-12);
  EXPECT_NEAR(audit.without_players, 0.25, 1e-12);
  EXPECT_NEAR(audit.sum, audit.change - audit.unexplained + audit.counted_again + audit.without_players, 1e-12);
  EXPECT_NEAR(audit.figures.low_error, 1.0 / 3, 1e-12);
}

TEST(QuestionAudit, RefusesAQuestionWithoutAChange) {
  expect_error(ErrorKind::numeric, "no change", [] {
    audit_question(table({2, 1, -1, 0}, {{0, 0, 0, 0}, {0, 0, 0, 0}}));
  });
}

TEST(Principles, AddNumeratorsAndDenominatorsOverQuestions) {
  PrincipleAccount account;
  account.add({0b01, 3, {3, 0}});  // given once
  account.close(4);                // 1 is not covered
  account.add({0b11, 2, {2, 2}});  // given twice
  account.add({0b10, 5, {0, 0}});  // not covered
  account.close(2);
  const PrincipleFigures figures = account.figures();
  EXPECT_DOUBLE_EQ(figures.low_error, (1.0 + 0.0) / (4 + 2));
  EXPECT_DOUBLE_EQ(figures.no_unrelated, 0);
  EXPECT_DOUBLE_EQ(figures.complete, 2.0 / (3 + 2));
}

// ---- comparisons ----

TEST(Comparison, OcclusionAndShapleyDifferInTheInteractionAlone) {
  const Comparison comparison = compare_allocations(room("occlusion"), room("shapley"));
  EXPECT_NEAR(comparison.difference, 3 * (2 - 2.0 / 3), 1e-12);
  ASSERT_FALSE(comparison.sets.empty());
  EXPECT_EQ(comparison.sets[0].set, 0b111u);
  EXPECT_NEAR(comparison.sets[0].share, 1, 1e-12);
  EXPECT_NEAR(comparison.sets[0].effect, 2, 1e-12);
  EXPECT_NEAR(comparison.sets[0].first[kDesk], 2, 1e-12);
  EXPECT_NEAR(comparison.sets[0].second[kDesk], 2.0 / 3, 1e-12);
  EXPECT_NEAR(comparison.share_by_size[3], 1, 1e-12);
}

TEST(Comparison, SharesOfAllSetsSumToOne) {
  const Comparison comparison = compare_allocations(room("gradient_x_input"), room("occlusion"));
  double sum = 0;
  for (const SetDifference& one : comparison.sets) sum += one.share;
  const bool same = comparison.difference < 1e-12;
  EXPECT_NEAR(sum, same ? 0 : 1, 1e-12);
  EXPECT_NEAR(std::accumulate(comparison.share_by_size.begin(), comparison.share_by_size.end(), 0.0), sum, 1e-12);
}

TEST(Comparison, SharesOfPairsSumToOneAndCollectAllSetsWithBoth) {
  const Comparison comparison = compare_allocations(room("occlusion"), room("shapley"));
  ASSERT_EQ(comparison.pairs.size(), 6u);  // three pairs, and three players alone
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_LT(comparison.pairs[i].first, comparison.pairs[i].second);
    EXPECT_NEAR(comparison.pairs[i].share, 1.0 / 3, 1e-12);
  }
  for (size_t i = 3; i < 6; ++i) EXPECT_NEAR(comparison.pairs[i].share, 0, 1e-12);
}

TEST(Comparison, OfAMethodWithItselfFindsNoDifference) {
  const Comparison comparison = compare_allocations(room("shapley"), room("shapley"));
  EXPECT_EQ(comparison.difference, 0);
  EXPECT_NEAR(comparison.correlation, 1, 1e-12);
}

}  // namespace
}  // namespace ascribe::core
