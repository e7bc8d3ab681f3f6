// The sparsest sum of conjunctions and disjunctions, from few evaluations.
#include "game/sparse/and_or_estimate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "game/sparse/sparse_games.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

bool has_one(const Coalitions& sets, int64_t row, const std::vector<int>& set) {
  return std::any_of(set.begin(), set.end(), [&](int player) { return sets.has(row, player); });
}

// 2 [0 and 1 and 2] + 3 [5 or 9 or 14 or 20] - [7] + 1
Game mixed_game(int64_t players) {
  return {players, [](const Coalitions& sets, std::span<double> out, const Progress&) {
            for (int64_t row = 0; row < sets.size(); ++row) {
              out[static_cast<size_t>(row)] = 1 + (has_all(sets, row, {0, 1, 2}) ? 2 : 0) +
                                              (has_one(sets, row, {5, 9, 14, 20}) ? 3 : 0) - (sets.has(row, 7) ? 1 : 0);
            }
          }};
}

SparseRequest budget_of(int64_t budget) {
  SparseRequest request;
  request.budget = budget;
  return request;
}

TEST(AndOrEstimate, AMixtureComesBackAsItWasMade) {
  Game game = mixed_game(40);
  const AndOrEstimate estimate = estimate_and_or(game, budget_of(3000));
  ASSERT_EQ(estimate.effects.size(), 3U);
  EXPECT_EQ(estimate.effects[0].support, std::vector<int>{7});
  EXPECT_NEAR(estimate.effects[0].value, -1, 1e-8);
  EXPECT_EQ(estimate.effects[1].support, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(estimate.effects[1].disjunction);
  EXPECT_NEAR(estimate.effects[1].value, 2, 1e-8);
  EXPECT_EQ(estimate.effects[2].support, (std::vector<int>{5, 9, 14, 20}));
  EXPECT_TRUE(estimate.effects[2].disjunction);
  EXPECT_NEAR(estimate.effects[2].value, 3, 1e-8);
  EXPECT_NEAR(estimate.constant, 1, 1e-8);
  EXPECT_NEAR(estimate.held_out.r2, 1, 1e-10);
  EXPECT_GT(estimate.and_alone_terms, 3);  // 17 dividends
}

TEST(AndOrEstimate, EveryCoalitionIsEvaluatedOnce) {
  Game game = mixed_game(40);
  const AndOrEstimate estimate = estimate_and_or(game, budget_of(2000));
  EXPECT_EQ(game.evaluations(), estimate.evaluations);
  EXPECT_LE(estimate.evaluations, 2000);
}

TEST(AndOrEstimate, ConjunctionsStayConjunctions) {
  const SetValues truth = random_dividends(30, 3, 2, 4);
  Game game = sparse_game(30, truth);
  const AndOrEstimate estimate = estimate_and_or(game, budget_of(3000));
  ASSERT_EQ(estimate.effects.size(), truth.size());
  for (const AndOrEffect& effect : estimate.effects) {
    EXPECT_FALSE(effect.disjunction);
    EXPECT_EQ(truth.count(effect.support), 1U);
  }
}

// [a or b] + [a and b] = [a] + [b], so that many players of nearly the same effect are as many pairs of pairs.
TEST(AndOrEstimate, PlayersThatActAloneAreNoPairs) {
  SetValues truth;
  for (int p = 0; p < 12; ++p) truth[{p}] = 1 + 0.02 * p;
  Game game = sparse_game(40, truth, 0, 0.3);
  const AndOrEstimate estimate = estimate_and_or(game, budget_of(3000));
  EXPECT_GE(estimate.effects.size(), truth.size());
  for (const AndOrEffect& effect : estimate.effects) {
    EXPECT_TRUE(std::abs(effect.value) < 0.5 || effect.support.size() == 1);
  }
}

TEST(AndOrEstimate, RefusesTooSmallABudget) {
  Game game = mixed_game(40);
  expect_error(ErrorKind::argument, "expected at least 128", [&] { estimate_and_or(game, budget_of(30)); });
}

}  // namespace
}  // namespace ascribe::core
