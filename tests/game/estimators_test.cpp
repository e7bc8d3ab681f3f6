// Estimators of interaction indices beside the exact ones.
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "game/estimators/estimate.h"
#include "game/interaction_index.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

const std::vector<std::string> kEstimated = {"sii", "stii", "fsii"};

std::vector<double> random_values(int players, uint64_t seed) {
  std::vector<double> values(size_t{1} << players);
  const Random random(seed, static_cast<uint64_t>(players));
  for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return values;
}

Effects exact(const std::string& index, const std::vector<double>& values) {
  Game game = table_game(values);
  return compute_index(index_named(index), exact_dividends(game, size_t{1} << 30), 2);
}

Estimate estimated(const std::string& index, const std::vector<double>& values, int64_t budget, uint64_t seed) {
  Game game = table_game(values);
  return estimate_index(index, game, {.budget = budget, .seed = seed, .progress = {}});
}

// v(S) = 1 + sum of c(i) + sum of c(i, j), for any number of players.
struct PairGame {
  PairGame(int64_t count, bool with_pairs) : players(count), coefficients(static_cast<size_t>(count * count)) {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = i; j < (with_pairs ? count : i + 1); ++j) {
        coefficients[static_cast<size_t>(i * count + j)] = Random(31).normal(static_cast<uint64_t>(i * count + j));
      }
    }
  }
  int64_t players;
  std::vector<double> coefficients;  // of pairs i < j, and on the diagonal of single players
  double pair(int64_t i, int64_t j) const { return coefficients[static_cast<size_t>(i * players + j)]; }
  double single(int64_t i) const { return pair(i, i); }

  Game game() const {
    return {players, [self = *this](const Coalitions& sets, std::span<double> out, const Progress&) {
              for (int64_t s = 0; s < sets.size(); ++s) {
                double value = 1;
                for (int64_t i = 0; i < self.players; ++i) {
                  for (int64_t j = i; sets.has(s, i) && j < self.players; ++j) {
                    if (sets.has(s, j)) value += self.pair(i, j);
                  }
                }
                out[static_cast<size_t>(s)] = value;
              }
            }};
  }
  // Dividends, except for the single players of SII, who get half of each of their pairs.
  double expected(const std::string& index, const std::vector<int>& set) const {
    if (set.size() == 2) return pair(set[0], set[1]);
    double value = single(set[0]);
    for (int64_t j = 0; index == "sii" && j < players; ++j) {
      if (j != set[0]) value += pair(std::min<int64_t>(j, set[0]), std::max<int64_t>(j, set[0])) / 2;
    }
    return value;
  }
};

void expect_exact(const std::string& index, const PairGame& pair_game, int64_t budget) {
  Game game = pair_game.game();
  const Estimate estimate = estimate_index(index, game, {.budget = budget, .seed = 3, .progress = {}});
  ASSERT_EQ(estimate.effects.effects.size(), pair_game.players * (pair_game.players + 1) / 2);
  for (size_t i = 0; i < estimate.effects.effects.size(); ++i) {
    const Effect& effect = estimate.effects.effects[i];
    EXPECT_NEAR(effect.value, pair_game.expected(index, effect.support), 1e-8) << index << " set " << i;
    EXPECT_NEAR(estimate.standard_errors[i], 0, 1e-8) << index << " set " << i;
  }
}

TEST(Estimators, AreWithinFourStandardErrorsOfTheIndex) {
  for (const std::string& index : kEstimated) {
    for (const int players : {3, 9, 10}) {
      const std::vector<double> values = random_values(players, 41);
      const Effects truth = exact(index, values);
      const Estimate estimate = estimated(index, values, 20000, 1);
      ASSERT_EQ(estimate.effects.effects.size(), truth.effects.size());
      for (size_t i = 0; i < truth.effects.size(); ++i) {
        EXPECT_EQ(estimate.effects.effects[i].support, truth.effects[i].support);
        EXPECT_LE(std::abs(estimate.effects.effects[i].value - truth.effects[i].value),
                  4 * estimate.standard_errors[i] + 1e-12)
            << index << " of " << players << " players, set " << i;
      }
    }
  }
}

// Over many seeds, an error is as large as its standard error says: no bias, and no false modesty.
TEST(Estimators, StandardErrorsAreAsLargeAsTheErrors) {
  for (const std::string& index : kEstimated) {
    const std::vector<double> values = random_values(10, 43);
    const Effects truth = exact(index, values);
    for (const size_t size : {size_t{1}, size_t{2}}) {
      if (index == "stii" && size == 1) continue;  // exact
      double squares = 0, bias = 0, count = 0;
      for (uint64_t seed = 0; seed < 16; ++seed) {
        const Estimate estimate = estimated(index, values, 4000, seed);
        for (size_t i = 0; i < truth.effects.size(); ++i) {
          if (truth.effects[i].support.size() != size) continue;
          const double relative =
              (estimate.effects.effects[i].value - truth.effects[i].value) / estimate.standard_errors[i];
          squares += relative * relative;
          bias += relative;
          ++count;
        }
      }
      EXPECT_NEAR(std::sqrt(squares / count), 1, 0.15) << index << " sets of " << size;
      EXPECT_NEAR(bias / count, 0, 0.25) << index << " sets of " << size;
    }
  }
}

TEST(Estimators, ErrorFallsWithTheSquareRootOfTheBudget) {
  for (const std::string& index : kEstimated) {
    const std::vector<double> values = random_values(10, 45);
    const Effects truth = exact(index, values);
    const auto error = [&](int64_t budget) {
      double squares = 0;
      for (uint64_t seed = 0; seed < 10; ++seed) {
        const Estimate estimate = estimated(index, values, budget, seed);
        for (size_t i = 0; i < truth.effects.size(); ++i) {
          squares += std::pow(estimate.effects.effects[i].value - truth.effects[i].value, 2);
        }
      }
      return std::sqrt(squares);
    };
    EXPECT_NEAR(std::log2(error(1000) / error(16000)), 2, 0.35) << index;
  }
}

TEST(Estimators, AreExactForAdditiveGamesAndGamesOfPairs) {
  for (const std::string& index : kEstimated) {
    for (const bool pairs : {false, true}) {
      for (const int64_t players : {2, 3, 7, 8}) expect_exact(index, {players, pairs}, 1000);
    }
  }
}

TEST(Estimators, TakeMorePlayersThanAWordHasBits) {
  expect_exact("sii", {70, true}, 2 + 2 * 70 * 138);
  expect_exact("stii", {70, true}, 2 + 70 + 4 * (35 * 69 - 1));
  expect_exact("fsii", {30, true}, 2000);
}

TEST(Estimators, GiveTheSameBitsForTheSameSeed) {
  const std::vector<double> values = random_values(9, 47);
  for (const std::string& index : kEstimated) {
    const Estimate first = estimated(index, values, 3000, 5), again = estimated(index, values, 3000, 5);
    const Estimate other = estimated(index, values, 3000, 6);
    bool differs = false;
    for (size_t i = 0; i < first.effects.effects.size(); ++i) {
      EXPECT_EQ(first.effects.effects[i].value, again.effects.effects[i].value);
      EXPECT_EQ(first.standard_errors[i], again.standard_errors[i]);
      differs = differs || first.effects.effects[i].value != other.effects.effects[i].value;
    }
    EXPECT_TRUE(differs) << index;
  }
}

TEST(Estimators, StayWithinTheBudgetAndSayWhatTheyUsed) {
  for (const std::string& index : kEstimated) {
    for (const int64_t budget : {1000, 1777}) {
      const Estimate estimate = estimated(index, random_values(8, 49), budget, 1);
      EXPECT_LE(estimate.effects.evaluations, budget) << index;
      EXPECT_GT(estimate.effects.evaluations, budget / 2) << index;
      EXPECT_GE(estimate.samples, 2);
    }
  }
}

TEST(Estimators, ValuesOfTheWholeArePartOfTheResult) {
  const std::vector<double> values = random_values(8, 51);
  for (const std::string& index : kEstimated) {
    const Effects effects = estimated(index, values, 1000, 1).effects;
    EXPECT_EQ(effects.output, values.back());
    EXPECT_EQ(effects.baseline_output, values.front());
    double sum = 0;
    for (const Effect& effect : effects.effects) sum += effect.value;
    EXPECT_NEAR(effects.remainder, effects.change() - sum, 1e-12);
    if (index == "fsii") {
      EXPECT_NEAR(effects.remainder, 0, 1e-9) << "the regression keeps the sum";
    }
  }
}

TEST(Estimators, RefuseABudgetThatTellsNothing) {
  const std::vector<double> values = random_values(8, 53);
  expect_error(ErrorKind::argument, "got 225; expected at least 226", [&] { estimated("sii", values, 225, 1); });
  expect_error(ErrorKind::argument, "got 117; expected at least 118", [&] { estimated("stii", values, 117, 1); });
  expect_error(ErrorKind::argument, "got 73; expected at least 74", [&] { estimated("fsii", values, 73, 1); });
  expect_error(ErrorKind::argument, "pairs need two players", [&] { estimated("sii", {0, 1}, 1000, 1); });
}

TEST(Estimators, RefuseAnIndexThatIsExactOnly) {
  expect_error(ErrorKind::argument, "got bii; expected sii, stii or fsii",
               [] { estimated("bii", random_values(4, 1), 1000, 1); });
}

}  // namespace
}  // namespace ascribe::core
