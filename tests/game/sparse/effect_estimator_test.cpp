// Effects of many players from few evaluations: what must be found exactly, what is said of it, what is refused.
#include "game/sparse/effect_estimator.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "game/interaction_index.h"
#include "game/sparse/sparse_games.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

const std::vector<std::string> kEstimators = {"proxy", "spectral"};

SparseRequest asked(const std::string& estimator, int64_t budget, uint64_t seed = 0) {
  SparseRequest request;
  request.estimator = estimator;
  request.budget = budget;
  request.seed = seed;
  return request;
}

void expect_found(const SetValues& truth, const SparseEstimate& estimate, double tolerance = 1e-8) {
  const SetValues found = values_by_set(estimate);
  EXPECT_EQ(found.size(), truth.size());
  for (const auto& [set, value] : truth) {
    const auto at = found.find(set);
    ASSERT_NE(at, found.end()) << "a set of " << set.size() << " players that begins with " << set[0];
    EXPECT_NEAR(at->second, value, tolerance);
  }
}

TEST(SparseEffects, AnAdditiveGameIsFoundExactly) {
  SetValues truth;
  for (int i = 0; i < 40; i += 3) truth[{i}] = i - 17.5;
  for (const std::string& name : kEstimators) {
    Game game = sparse_game(40, truth, 2.5);
    const SparseEstimate estimate = estimate_sparse(game, asked(name, 2000));
    expect_found(truth, estimate);
    EXPECT_NEAR(estimate.constant, 2.5, 1e-8) << name;
    EXPECT_NEAR(estimate.held_out.r2, 1, 1e-12) << name;
    EXPECT_EQ(estimate.stop, SparseStop::all_found) << name;
    EXPECT_NEAR(estimate.explained, 1, 1e-9) << name;
    EXPECT_LE(estimate.evaluations, 2000) << name;
    EXPECT_EQ(estimate.evaluations, game.evaluations()) << name;
  }
}

TEST(SparseEffects, AProductOfFivePlayersIsOneEffect) {
  const SetValues truth = {{{2, 11, 23, 37, 41}, 3.0}};
  for (const std::string& name : kEstimators) {
    Game game = sparse_game(60, truth, -1);
    expect_found(truth, estimate_sparse(game, asked(name, 4000)));
  }
}

TEST(SparseEffects, EffectsOfOneToSixPlayersAreFoundExactly) {
  const SetValues truth = random_dividends(50, 6, 2, 4);
  for (const std::string& name : kEstimators) {
    Game game = sparse_game(50, truth);
    expect_found(truth, estimate_sparse(game, asked(name, 4000)));
  }
}

TEST(SparseEffects, ManyPlayersTakeNoMoreEvaluationsThanTheBudget) {
  const SetValues truth = random_dividends(1500, 3, 2, 5);
  Game game = sparse_game(1500, truth);
  const SparseEstimate estimate = estimate_sparse(game, asked("proxy", 4000));
  expect_found(truth, estimate);
  EXPECT_LE(game.evaluations(), 4000);
}

TEST(SparseEffects, FewPlayersAreNoProblem) {
  const SetValues truth = {{{0}, 1.0}, {{0, 1}, -2.0}};
  Game game = sparse_game(2, truth, 1);
  expect_found(truth, estimate_sparse(game, asked("proxy", 200)));
}

// A player whose effects cancel tells nothing alone: it is found by sets that are nearly complete.
TEST(SparseEffects, APlayerWhoseEffectsCancelIsFound) {
  const SetValues truth = {{{0, 7, 20, 21}, 2.0}, {{0, 9, 30, 31}, -2.0}, {{5}, 1.0}};
  Game game = sparse_game(60, truth);
  expect_found(truth, estimate_sparse(game, asked("proxy", 4000)));
}

// prod (1 - 2 x_i): one Walsh coefficient, 31 dividends (-2)^|T|; no smaller group tells anything at p = 1/2.
TEST(SparseEffects, AParityIsFoundByDecoding) {
  const std::vector<int> members = {3, 7, 11, 20, 31};
  SetValues truth;
  for (unsigned bits = 1; bits < 32; ++bits) {
    std::vector<int> set;
    for (size_t i = 0; i < members.size(); ++i) {
      if ((bits >> i & 1) != 0) set.push_back(members[i]);
    }
    truth[set] = std::pow(-2.0, static_cast<double>(set.size()));
  }
  Game game = sparse_game(100, truth, 1);
  const SparseEstimate estimate = estimate_sparse(game, asked("spectral", 5000));
  expect_found(truth, estimate);
  const SparseSpectrum fourier = spectrum_of(estimate, "fourier");
  for (size_t i = 0; i < fourier.coefficients.size(); ++i) {
    EXPECT_NEAR(fourier.coefficients[i].value, fourier.coefficients[i].support == members ? 1 : 0, 1e-8);
  }
}

TEST(SparseEffects, RelabelledPlayersHaveTheSameEffects) {
  const SetValues truth = random_dividends(30, 4, 2, 6);
  SetValues relabelled;
  for (const auto& [set, value] : truth) {
    std::vector<int> other;
    for (const int player : set) other.push_back((player * 7 + 3) % 30);
    std::sort(other.begin(), other.end());
    relabelled[other] = value;
  }
  Game game = sparse_game(30, relabelled);
  expect_found(relabelled, estimate_sparse(game, asked("proxy", 3000)));
}

TEST(SparseEffects, TheSameSeedGivesTheSameBitsForAnyNumberOfThreads) {
  const SetValues truth = random_dividends(40, 4, 2, 7);
  for (const std::string& name : kEstimators) {
    std::vector<SparseEstimate> estimates;
    for (const int threads : {1, 3}) {
      const ThreadCount count(threads);
      Game game = sparse_game(40, truth, 0, 0.3, 1);
      estimates.push_back(estimate_sparse(game, asked(name, 2500, 9)));
    }
    EXPECT_EQ(values_by_set(estimates[0]), values_by_set(estimates[1])) << name;
    EXPECT_EQ(estimates[0].standard_errors, estimates[1].standard_errors) << name;
    EXPECT_EQ(estimates[0].held_out.r2, estimates[1].held_out.r2) << name;
  }
}

TEST(SparseEffects, AnotherSeedDrawsOtherCoalitions) {
  const SetValues truth = random_dividends(20, 2, 3, 8);
  std::vector<SparseEstimate> estimates;
  for (const uint64_t seed : {1, 2}) {
    Game game = sparse_game(20, truth, 0, 0.5, 3);
    estimates.push_back(estimate_sparse(game, asked("proxy", 1000, seed)));
  }
  EXPECT_NE(values_by_set(estimates[0]), values_by_set(estimates[1]));
}

// 95 % of 25 * 9 intervals, whose share has a standard deviation of 1.5 %: below 89 % would be four of them.
TEST(SparseEffects, IntervalsHoldAboutAsOftenAsTheySay) {
  const SetValues truth = random_dividends(24, 3, 3, 9);
  int64_t held = 0, all = 0, missing = 0;
  for (uint64_t seed = 0; seed < 25; ++seed) {
    Game game = sparse_game(24, truth, 0, 0.4, seed + 100);
    const SparseEstimate estimate = estimate_sparse(game, asked("proxy", 900, seed));
    const SetValues found = values_by_set(estimate);
    for (const auto& [set, value] : truth) missing += found.count(set) == 0 ? 1 : 0;
    for (size_t i = 0; i < estimate.effects.effects.size(); ++i) {
      const auto at = truth.find(estimate.effects.effects[i].support);
      const double off = estimate.effects.effects[i].value - (at == truth.end() ? 0 : at->second);
      held += std::abs(off) <= 1.96 * estimate.standard_errors[i] ? 1 : 0;
      ++all;
    }
  }
  EXPECT_LE(missing, 3);
  EXPECT_GT(static_cast<double>(held), 0.89 * static_cast<double>(all));
  EXPECT_LT(static_cast<double>(held), static_cast<double>(all));  // some must miss
}

TEST(SparseEffects, HeldOutR2SaysWhatNoiseLeaves) {
  const SetValues truth = {{{0}, 4.0}, {{1, 2}, 2.0}};
  Game game = sparse_game(30, truth, 0, 1.0, 3);
  const SparseEstimate estimate = estimate_sparse(game, asked("proxy", 4000));
  // Variances at coalitions of any size alike: 16 / 4 + 4 (1/3 - 1/9), and what both share by the size; noise 1.
  const double signal = 4 + 4 * (1.0 / 3 - 1.0 / 9) + 2 * 4 * 2 * (1.0 / 4 - 1.0 / 6);
  EXPECT_NEAR(estimate.held_out.r2, signal / (signal + 1), 5 * estimate.held_out.r2_error + 0.01);
  EXPECT_GT(estimate.held_out.r2_error, 0);
  EXPECT_NEAR(estimate.held_out.rmse, 1, 0.15);
  EXPECT_EQ(estimate.stop, SparseStop::budget);
}

TEST(SparseEffects, AnAimStopsEarly) {
  const SetValues truth = {{{0}, 4.0}, {{1}, 3.0}, {{2, 3}, 0.5}};
  Game game = sparse_game(30, truth, 0, 0.2, 3);
  SparseRequest request = asked("proxy", 8000);
  request.aim = 0.1;
  const SparseEstimate estimate = estimate_sparse(game, request);
  EXPECT_EQ(estimate.stop, SparseStop::aim);
  EXPECT_LT(estimate.evaluations, 4000);
  EXPECT_GE(estimate.held_out.r2, 0.9);
}

TEST(SparseEffects, FourierAndBanzhafAreThoseOfTheFunction) {
  const SetValues truth = random_dividends(6, 3, 2, 11);
  Game game = sparse_game(6, truth, 1.5);
  const SparseEstimate estimate = estimate_sparse(game, asked("proxy", 500));
  Game again = sparse_game(6, truth, 1.5);
  const Dividends dividends = exact_dividends(again, size_t{1} << 30);
  const Effects banzhaf = compute_index(index_named("bii"), dividends, 3);
  SetValues by_set;
  for (const Effect& effect : banzhaf.effects) by_set[effect.support] = effect.value;
  const SparseSpectrum spectrum = spectrum_of(estimate, "banzhaf"), fourier = spectrum_of(estimate, "fourier");
  for (size_t i = 1; i < spectrum.coefficients.size(); ++i) {
    const Effect& own = spectrum.coefficients[i];
    EXPECT_NEAR(own.value, by_set[own.support], 1e-8);
    EXPECT_NEAR(own.value, std::pow(-2, own.support.size()) * fourier.coefficients[i].value, 1e-8);
  }
  double mean = 0;
  Game once = sparse_game(6, truth, 1.5);
  for (const double value : once.all_values()) mean += value / 64;
  EXPECT_NEAR(fourier.coefficients[0].value, mean, 1e-8);
}

TEST(SparseEffects, ErrorsOfSumsUseTheCovariance) {
  Game game = sparse_game(20, {{{0}, 1.0}, {{0, 1}, 1.0}}, 0, 0.5, 3);
  const SparseEstimate estimate = estimate_sparse(game, asked("proxy", 1500));
  ASSERT_EQ(estimate.effects.effects.size(), 2U);
  const std::vector<double> first = {1, 0}, both = {1, 1};
  EXPECT_NEAR(estimate.error_of(first), estimate.standard_errors[0], 1e-12);
  const double variance = estimate.covariance[0] + 2 * estimate.covariance[1] + estimate.covariance[3];
  EXPECT_NEAR(estimate.error_of(both), std::sqrt(variance), 1e-12);
  EXPECT_LT(estimate.covariance[1], 0);  // a set and one inside of it share what they explain
}

TEST(SparseEffects, PlayersThatNeverMeetAreNotJoined) {
  const SetValues truth = {{{0, 1}, 2.0}, {{2, 3}, 2.0}};
  Game game = sparse_game(20, truth, 0, 0.1, 3);
  SparseRequest request = asked("proxy", 2000);
  request.hints.never_meet = [](int a, int b) { return a == 0 && b == 1; };
  const SetValues found = values_by_set(estimate_sparse(game, request));
  EXPECT_EQ(found.count({2, 3}), 1U);
  for (const auto& [set, value] : found) {
    EXPECT_FALSE(set.size() > 1 && set[0] == 0 && set[1] == 1);
  }
}

TEST(SparseEffects, AHintIsFoundWhereNoSmallerSetTellsAnything) {
  SetValues truth = {{{4, 17}, 4.0}, {{4}, -2.0}, {{17}, -2.0}};  // (1 - 2 x)(1 - 2 y), without its constant
  SparseRequest request = asked("proxy", 1200);
  request.hints.candidates = {{{17, 4}, 1.0}};
  Game game = sparse_game(300, truth);
  expect_found(truth, estimate_sparse(game, request));
}

TEST(SparseEffects, TheLargestOrderIsKept) {
  const SetValues truth = random_dividends(20, 4, 2, 12);
  for (const std::string& name : kEstimators) {
    Game game = sparse_game(20, truth);
    SparseRequest request = asked(name, 2500);
    request.largest_order = 2;
    const SparseEstimate estimate = estimate_sparse(game, request);
    for (const Effect& effect : estimate.effects.effects) EXPECT_LE(effect.support.size(), 2U) << name;
    EXPECT_LT(estimate.held_out.r2, 1) << name;
  }
}

// With a hundred rows of few players present, sets of many players are never told apart.
TEST(SparseEffects, SetsThatTheDrawsDoNotTellApartAreDoubted) {
  Game game = sparse_game(200, {{{0, 1, 2, 3, 4}, 5.0}}, 0, 0.5, 3);
  const SparseEstimate estimate = estimate_sparse(game, asked("proxy", 256));
  bool exact = estimate.effects.effects.size() == 1 && estimate.effects.effects[0].support.size() == 5;
  for (size_t i = 0; i < estimate.effects.effects.size(); ++i) {
    if (estimate.doubted[i] != 0) exact = true;
  }
  EXPECT_TRUE(exact);
  Game clear = sparse_game(20, {{{0, 1}, 5.0}}, 0, 0.5, 3);
  const SparseEstimate sure = estimate_sparse(clear, asked("proxy", 3000));
  for (const uint8_t doubted : sure.doubted) EXPECT_EQ(doubted, 0);
}

TEST(SparseEffects, AConstantGameHasNoEffectsAndNoR2) {
  for (const std::string& name : kEstimators) {
    Game game = sparse_game(30, {}, 3.25);
    const SparseEstimate estimate = estimate_sparse(game, asked(name, 1000));
    EXPECT_TRUE(estimate.effects.effects.empty()) << name;
    EXPECT_FALSE(estimate.held_out.defined) << name;
    EXPECT_FALSE(estimate.explained_defined) << name;
    EXPECT_EQ(estimate.constant, 3.25) << name;
    EXPECT_EQ(estimate.stop, SparseStop::all_found) << name;
    EXPECT_FALSE(estimate.notes.empty()) << name;
  }
}

TEST(SparseEffects, NoiseAloneHasNoEffects) {
  Game game = sparse_game(50, {}, 1, 1.0, 3);
  const SparseEstimate estimate = estimate_sparse(game, asked("proxy", 3000));
  EXPECT_TRUE(estimate.effects.effects.empty());
  EXPECT_NEAR(estimate.held_out.r2, 0, 0.05);
}

TEST(SparseEffects, WhatCannotBeIsRefused) {
  Game one = sparse_game(1, {{{0}, 1.0}}), many = sparse_game(40, {{{0}, 1.0}});
  expect_error(ErrorKind::argument, "2 to 16383 players; got 1", [&] { estimate_sparse(one, asked("proxy", 1000)); });
  expect_error(ErrorKind::argument, "expected at least 128", [&] { estimate_sparse(many, asked("proxy", 50)); });
  const int64_t needed = effect_estimator_named("spectral").least_budget(40, 5);
  expect_error(ErrorKind::argument, "expected at least " + std::to_string(needed),
               [&] { estimate_sparse(many, asked("spectral", needed - 1)); });
  EXPECT_NO_THROW(estimate_sparse(many, asked("spectral", needed)));
  expect_error(ErrorKind::argument, "proxy, spectral", [&] { estimate_sparse(many, asked("x", 1000)); });
  SparseRequest request = asked("proxy", 1000);
  request.aim = 1.5;
  expect_error(ErrorKind::argument, "aim", [&] { estimate_sparse(many, request); });
  request.aim = 0;
  request.largest_order = 40;
  expect_error(ErrorKind::argument, "order", [&] { estimate_sparse(many, request); });
  request.largest_order = 3;
  request.hints.candidates = {{{3, 40}, 1.0}};
  expect_error(ErrorKind::argument, "hints", [&] { estimate_sparse(many, request); });
}

TEST(SparseEffects, ValuesThatAreNotNumbersAreRefused) {
  for (const std::string& name : kEstimators) {
    Game game(30, [](const Coalitions&, std::span<double> out, const Progress&) {
      std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
    });
    expect_error(ErrorKind::numeric, "not finite", [&] { estimate_sparse(game, asked(name, 1500)); });
  }
}

// Sums of squares of larger ones are infinite, which a fit would turn into effects that are not there.
TEST(SparseEffects, ValuesWhoseSquaresAreNotFiniteAreRefused) {
  for (const std::string& name : kEstimators) {
    Game large = sparse_game(30, {{{3}, 1e200}, {{4, 9}, -1e200}}, 1);
    expect_error(ErrorKind::numeric, "too large", [&] { estimate_sparse(large, asked(name, 1500)); });
    const SetValues truth = {{{3}, 1e120}, {{4, 9}, -1e120}};
    Game still = sparse_game(30, truth, 1);
    expect_found(truth, estimate_sparse(still, asked(name, 1500)), 1e112);
  }
}

}  // namespace
}  // namespace ascribe::core
