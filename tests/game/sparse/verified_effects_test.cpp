// Effects that were found, held against the game: exactly alone, on average in company, and what is said of the others.
#include "game/sparse/verified_effects.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/student.h"
#include "game/sparse/sparse_games.h"

namespace ascribe::core {
namespace {

SparseEstimate fitted(int64_t players, const SetValues& values) {
  SparseEstimate estimate;
  estimate.effects.players = players;
  for (const auto& [set, value] : values) estimate.effects.effects.push_back({set, {}, value});
  return estimate;
}

// A fit that is wrong: the pair acts only beside a third player, the triple not at all.
TEST(VerifiedEffects, AloneIsExactWhateverTheFitSays) {
  Game game = sparse_game(30, {{{1, 2, 3}, 4.0}, {{5}, 2.0}}, 1.0);
  const SparseEstimate fit = fitted(30, {{{1, 2}, 3.0}, {{5}, 1.0}, {{7, 8, 9}, 2.0}});
  const VerifiedEffects found = verify_effects(game, fit, {2000, 1, {}});
  for (size_t i = 0; i < fit.effects.effects.size(); ++i) {
    ASSERT_TRUE(found.alone[i].has_value());
    EXPECT_NEAR(*found.alone[i], fit.effects.effects[i].support == std::vector<int>{5} ? 2 : 0, 1e-12);
  }
  EXPECT_EQ(found.looked_up, 3);
  EXPECT_EQ(found.evaluations, game.evaluations());
  EXPECT_LE(found.evaluations, 2000);
}

// The Shapley interaction index of {1, 2} is 4 / 2, that of a player of the triple 4 / 3.
TEST(VerifiedEffects, InCompanyIsTheShapleyInteractionIndexWithinItsInterval) {
  int64_t held = 0, all = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Game game = sparse_game(30, {{{1, 2, 3}, 4.0}, {{5}, 2.0}});
    const SparseEstimate fit = fitted(30, {{{1}, 0.5}, {{1, 2}, 3.0}, {{5}, 1.0}});
    const VerifiedEffects found = verify_effects(game, fit, {1200, seed, {}});
    const std::vector<double> truth = {4.0 / 3, 2.0, 4.0 / 2};  // {1}, {1, 2}, {5}
    for (size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(found.in_company[i].has_value());
      const InCompany& mean = *found.in_company[i];
      EXPECT_GE(mean.draws, 8);
      const double reach = student_quantile(0.95, static_cast<double>(mean.draws) - 1) * mean.standard_error + 1e-9;
      const double expected = fit.effects.effects[i].support == std::vector<int>{5}   ? 2.0
                              : fit.effects.effects[i].support == std::vector<int>{1} ? truth[0]
                                                                                      : truth[1];
      held += std::abs(mean.value - expected) <= reach ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GE(held, 0.9 * static_cast<double>(all));
}

// Effects of other players that the fit does not have are no part of what a fit that is right says of itself.
TEST(VerifiedEffects, AFitThatIsRightHasNoErrorInCompany) {
  const SetValues truth = {{{0, 1}, 2.0}, {{1, 2, 3}, -1.0}, {{4}, 1.0}};
  Game game = sparse_game(25, truth);
  const SparseEstimate fit = fitted(25, truth);
  const VerifiedEffects found = verify_effects(game, fit, {1500, 3, {}});
  for (size_t i = 0; i < fit.effects.effects.size(); ++i) {
    ASSERT_TRUE(found.in_company[i].has_value());
    EXPECT_NEAR(found.in_company[i]->standard_error, 0, 1e-12);
    EXPECT_NEAR(found.in_company[i]->value, fit.effects.effects[i].value, 1e-12);
  }
}

// 200 single effects whose fits are off by up to 1, alike at both ends: few are looked up, and 19 in 20 of the others
// are within what is said, on average over draws.
TEST(VerifiedEffects, OthersAreOffByNoMoreThanIsSaid) {
  const Random random(7, 5);
  int64_t held = 0, all = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SetValues truth, fit;
    for (int i = 0; i < 200; ++i) {
      truth[{i}] = 3;
      fit[{i}] = 3 + 2 * random.uniform(seed * 1000 + static_cast<uint64_t>(i)) - 1;
    }
    Game game = sparse_game(200, truth);
    const SparseEstimate estimate = fitted(200, fit);
    const VerifiedEffects found = verify_effects(game, estimate, {320, seed, {}});
    ASSERT_TRUE(found.off.has_value());
    EXPECT_GE(found.off_players, 1);
    for (size_t i = 0; i < 200; ++i) {
      if (found.alone[i]) continue;
      held += std::abs(estimate.effects.effects[i].value - 3) <= *found.off ? 1 : 0;
      ++all;
    }
  }
  ASSERT_GT(all, 0);
  const double share = static_cast<double>(held) / static_cast<double>(all);
  EXPECT_GT(share, 0.92);
  EXPECT_LT(share, 0.99);
}

// The set of five seems strongest and takes 32 evaluations for each draw, as much as eight pairs.
TEST(VerifiedEffects, OneLargeSetLeavesTheOthersTheirDraws) {
  SetValues fit = {{{0, 1, 2, 3, 4}, 9.0}};
  for (int i = 5; i < 21; i += 2) fit[{i, i + 1}] = 1.0;
  Game game = sparse_game(30, fit);
  const VerifiedEffects found = verify_effects(game, fitted(30, fit), {1200, 0, {}});
  int64_t asked = 0;
  for (const auto& mean : found.in_company) asked += mean ? 1 : 0;
  EXPECT_GE(asked, 8);
  EXPECT_LE(found.evaluations, 1200);
}

TEST(VerifiedEffects, TooFewEvaluationsGiveNoInterval) {
  SetValues many;
  for (int i = 0; i < 100; ++i) many[{i}] = 1.0 + i;
  Game game = sparse_game(100, many);
  const VerifiedEffects found = verify_effects(game, fitted(100, many), {60, 0, {}});
  EXPECT_FALSE(found.off.has_value());
  EXPECT_LE(found.evaluations, 60);
  EXPECT_LE(game.evaluations(), 60);
}

// Weak effects that no fit finds are there all the same: the sets that derivatives point to are looked up.
TEST(VerifiedEffects, CandidatesThatTheFitDoesNotHaveAreLookedUp) {
  Game game = sparse_game(30, {{{1, 2}, 0.5}, {{3, 4}, -0.75}, {{5}, 2.0}, {{6, 7}, 0.25}, {{1}, 1.0}}, 1.0);
  const SparseEstimate fit = fitted(30, {{{1, 2}, 0.4}, {{5}, 2.0}});
  const std::vector<SparseHints::Candidate> candidates = {
      {{1, 2}, 5}, {{6, 7}, 4}, {{3, 4}, 3}, {{8, 9}, 2}, {{1, 3}, 1}};
  Verification request{.budget = 400, .seed = 1, .candidates = candidates, .candidate_budget = 12};
  const VerifiedEffects found = verify_effects(game, fit, request);
  // {6, 7}, {3, 4} and {8, 9} take three evaluations each; for the last there is none that could be paid in full.
  ASSERT_EQ(found.beside.size(), 3U);
  const std::vector<std::vector<int>> sets = {{3, 4}, {6, 7}, {8, 9}};
  const double values[] = {-0.75, 0.25, 0};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.beside[i].support, sets[i]) << "the largest first";
    EXPECT_NEAR(found.beside[i].value, values[i], 1e-12);
  }
  EXPECT_EQ(found.looked_up, 2) << "of the fit";
  EXPECT_EQ(found.evaluations, game.evaluations());
  EXPECT_LE(found.evaluations, 400 + 12);
  Game again = sparse_game(30, {{{3, 4}, -0.75}}, 1.0);
  const VerifiedEffects nothing_fitted = verify_effects(again, fitted(30, {}), request);
  ASSERT_EQ(nothing_fitted.beside.size(), 3U) << "a fit without effects leaves them what they are";
  EXPECT_NEAR(nothing_fitted.beside[0].value, -0.75, 1e-12);
}

// Evaluations for candidates are not taken from those in company.
TEST(VerifiedEffects, CandidatesChangeNothingOfTheFit) {
  const SetValues truth = {{{1, 2, 3}, 4.0}, {{5}, 2.0}};
  const SparseEstimate fit = fitted(30, {{{1, 2}, 3.0}, {{5}, 1.0}});
  const std::vector<SparseHints::Candidate> candidates = {{{8, 9}, 2}, {{10, 11}, 1}};
  Game plain = sparse_game(30, truth), with = sparse_game(30, truth);
  const VerifiedEffects a = verify_effects(plain, fit, {.budget = 500, .seed = 3});
  const VerifiedEffects b =
      verify_effects(with, fit, {.budget = 500, .seed = 3, .candidates = candidates, .candidate_budget = 50});
  EXPECT_EQ(a.alone, b.alone);
  ASSERT_EQ(a.in_company.size(), b.in_company.size());
  for (size_t i = 0; i < a.in_company.size(); ++i) EXPECT_EQ(a.in_company[i]->value, b.in_company[i]->value);
  EXPECT_EQ(b.evaluations, a.evaluations + 6);
}

}  // namespace
}  // namespace ascribe::core
