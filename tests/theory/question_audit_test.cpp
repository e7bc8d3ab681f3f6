#include "theory/question_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

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
  EXPECT_NEAR(audit.sum, 9, 1e-12);                // book 5, desk 2, lamp 2
  EXPECT_NEAR(audit.counted_again.net, 4, 1e-12);  // 2 given three times
  EXPECT_NEAR(audit.unexplained.net, 0, 1e-12);
  EXPECT_NEAR(audit.leaked.size, 0, 1e-12);
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
  EXPECT_NEAR(audit.counted_again.net, 0, 1e-12);
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
  EXPECT_NEAR(audit.leaked.size, 4, 1e-12);
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
  EXPECT_NEAR(audit.unexplained.net, 3 + -2, 1e-12);
  EXPECT_NEAR(audit.counted_again.net, 3 + 4, 1e-12);
  EXPECT_NEAR(audit.without_players, 0.25, 1e-12);
  EXPECT_NEAR(audit.sum, audit.change - audit.unexplained.net + audit.counted_again.net + audit.without_players, 1e-12);
  EXPECT_NEAR(audit.figures.low_error, (3.0 + 2.0) / (4 + 2 + 1), 1e-12);
}

// ---- what cannot fool it ----

// What is left out of J(0) = 1 and of J(1) = -1 comes to nothing, and is 2 of 2.5 all the same.
TEST(QuestionAudit, ErrorsOfOppositeSignsDoNotCancel) {
  const QuestionAudit audit = audit_question(table(
      {0, 1, -1, 0, 0.5, 0, 0, 0}, {{0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.5, 0, 0, 0}}));
  EXPECT_NEAR(audit.unexplained.net, 0, 1e-12);
  EXPECT_NEAR(audit.unexplained.size, 2, 1e-12);
  EXPECT_NEAR(audit.figures.low_error, 2 / 2.5, 1e-12);
  EXPECT_EQ(audit.verdicts[Principle::low_error].holds, false);
}

TEST(QuestionAudit, JudgesAQuestionWithoutAChange) {
  const QuestionAudit once = audit_question(table({2, 1, -1, 0}, {{0, 1, 0, 0}, {0, 0, -1, 0}}));
  EXPECT_EQ(once.change, 0);
  EXPECT_EQ(once.verdicts.held(), 3);
  const QuestionAudit twice = audit_question(table({2, 1, -1, 0}, {{0, 2, 0, 0}, {0, 0, -2, 0}}));
  EXPECT_EQ(twice.verdicts[Principle::complete].holds, false);
  EXPECT_NEAR(twice.figures.complete, 1, 1e-12);
}

TEST(QuestionAudit, OfNothingGivenFailsTheFirstAndLeavesTheOthersOpen) {
  const QuestionAudit audit = audit_question(table({2, 1, -1, 0}, {{0, 0, 0, 0}, {0, 0, 0, 0}}));
  EXPECT_EQ(audit.verdicts[Principle::low_error].holds, false);
  EXPECT_FALSE(audit.verdicts[Principle::no_unrelated].holds.has_value());
  EXPECT_FALSE(audit.verdicts[Principle::complete].holds.has_value());
  EXPECT_NE(audit.verdicts[Principle::complete].reason.find("nothing was given"), std::string::npos);
}

TEST(QuestionAudit, OfAConstantLeavesOpenWhatThereIsNotAndBlamesWhatIsGiven) {
  const QuestionAudit nothing = audit_question(table({3, 0, 0, 0}, {{0, 0, 0, 0}, {0, 0, 0, 0}}));
  EXPECT_EQ(nothing.verdicts.open(), 3);
  const QuestionAudit something = audit_question(table({3, 0, 0, 0}, {{0, 1, 0, 0}, {0, 0, 0, 0}}));
  EXPECT_EQ(something.verdicts[Principle::complete].holds, false);
  EXPECT_EQ(something.figures.complete, 1);  // all of it, and no infinity
}

// Effects of 1e-15 beside outputs of 3 are what rounding leaves.
TEST(QuestionAudit, OfEffectsThatAreRoundingLeavesEverythingOpen) {
  SetAllocation allocation = table({3, 1e-15, -1e-15, 0}, {{0, 0, 0, 0}, {0, 0, 1e-15, 0}});
  allocation.effect_errors = {0, 1e-15, 1e-15, 2e-15};
  EXPECT_EQ(audit_question(allocation).verdicts.open(), 3);
}

TEST(Judge, LeavesOpenWhatTheErrorMayHaveCaused) {
  EXPECT_EQ(judge(0.2, 0.001, 0.01, "").holds, false);
  EXPECT_EQ(judge(0.001, 0.0001, 0.01, "").holds, true);
  EXPECT_EQ(judge(0.04, 0.05, 0.01, "too few nodes").holds, std::nullopt);
  EXPECT_EQ(judge(0.04, 0.05, 0.01, "too few nodes").reason, "too few nodes");
  EXPECT_EQ(judge(0.009, 0.05, 0.01, "").holds, std::nullopt);  // below the tolerance by luck
  EXPECT_EQ(judge(1e-15, 0.05, 0.01, "").holds, true);          // the error does not enter it
  EXPECT_EQ(judge(std::nan(""), 0, 0.01, "").holds, std::nullopt);
}

TEST(Principles, AddNumeratorsAndDenominatorsOverQuestions) {
  PrincipleAccount account;
  account.add({0b01, 3, {3, 0}});  // given once
  account.close(4);                // 1 is not covered
  account.add({0b11, 2, {2, 2}});  // given twice
  account.add({0b10, 5, {0, 0}});  // not covered
  account.close(7);
  const PrincipleFigures figures = account.figures();
  EXPECT_DOUBLE_EQ(figures.low_error, (1.0 + 5.0) / (4 + 7));
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
