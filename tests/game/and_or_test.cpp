// AND-OR effects: games whose split is known, the least strength by an independent linear program, exactness.
#include "game/and_or.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/errors.h"
#include "support/simplex.h"

namespace ascribe::core {
namespace {

// v(S) for every S, straight from what the words mean.
std::vector<double> slow_values(const std::vector<double>& and_effects, const std::vector<double>& or_effects) {
  std::vector<double> values;
  for (size_t s = 0; s < and_effects.size(); ++s) {
    double value = and_effects[0];
    for (size_t t = 1; t < and_effects.size(); ++t) {
      if ((t & s) == t) value += and_effects[t];
      if ((t & s) != 0) value += or_effects[t];
    }
    values.push_back(value);
  }
  return values;
}

// Dividends by their definition.
Dividends dividends_of(const std::vector<double>& values) {
  Dividends dividends;
  dividends.players = std::countr_zero(values.size());
  for (size_t s = 0; s < values.size(); ++s) {
    double sum = 0;
    for (size_t t = 0; t < values.size(); ++t) {
      if ((t & s) == t) sum += (std::popcount(s ^ t) % 2 == 0 ? 1 : -1) * values[t];
    }
    dividends.values.push_back(sum);
  }
  return dividends;
}

// A game of these effects, by set; all others are 0.
using Given = std::vector<std::pair<size_t, double>>;
std::vector<double> table_of(int players, const Given& given) {
  std::vector<double> table(size_t{1} << players, 0.0);
  for (const auto& [set, value] : given) table[set] = value;
  return table;
}

Dividends random_dividends(int players, uint64_t stream) {
  Dividends dividends;
  dividends.players = players;
  for (size_t s = 0; s < size_t{1} << players; ++s) dividends.values.push_back(Random(7, stream).normal(s));
  return dividends;
}

void expect_split(int players, const Given& ands, const Given& ors) {
  const std::vector<double> and_effects = table_of(players, ands), or_effects = table_of(players, ors);
  const AndOr split = and_or_effects(dividends_of(slow_values(and_effects, or_effects)));
  for (size_t s = 0; s < and_effects.size(); ++s) {
    EXPECT_NEAR(split.and_effects[s], and_effects[s], 1e-12) << "AND of set " << s;
    EXPECT_NEAR(split.or_effects[s], or_effects[s], 1e-12) << "OR of set " << s;
  }
  EXPECT_TRUE(split.optimal);
  EXPECT_NEAR(split.gap(), 0, 1e-9);  // the perturbation of the solver is 1e-10
}

// min of the sum of a+ + a- + o+ + o- such that they make up v on every set.
double least_strength_by_simplex(const std::vector<double>& values) {
  const size_t sets = values.size() - 1;
  Simplex problem(4 * sets);
  for (size_t s = 1; s <= sets; ++s) {
    std::vector<double> row(4 * sets, 0.0);
    for (size_t t = 1; t <= sets; ++t) {
      const double in = (t & s) == t ? 1 : 0, meets = (t & s) != 0 ? 1 : 0;
      row[t - 1] = in;
      row[sets + t - 1] = -in;
      row[2 * sets + t - 1] = meets;
      row[3 * sets + t - 1] = -meets;
    }
    problem.equal(row, values[s] - values[0]);
  }
  return problem.minimum(std::vector<double>(4 * sets, 1.0)).value_or(NAN);
}

TEST(AndOr, ADisjunctionIsOneOrEffect) { expect_split(3, {{0, 0.5}}, {{0b111, 1}}); }

TEST(AndOr, AConjunctionIsOneAndEffect) { expect_split(3, {{0, 0.5}, {0b111, -2}}, {}); }

TEST(AndOr, MixturesAreTakenApart) {
  expect_split(5, {{0, -1}, {0b00111, 2}, {0b01000, 0.25}}, {{0b11010, 3}});
  expect_split(6, {{0b000011, -1.5}, {0b111000, 4}}, {{0b110110, 2}, {0b001111, -2.5}});
}

TEST(AndOr, ADisjunctionHasManyDividends) {
  const AndOr split = and_or_effects(dividends_of(slow_values(table_of(4, {}), table_of(4, {{0b1111, 1}}))));
  EXPECT_NEAR(split.and_alone, 15, 1e-12);  // +-1 on every set that is not empty
  EXPECT_NEAR(split.or_alone, 1, 1e-12);
  EXPECT_NEAR(split.strength, 1, 1e-12);
}

TEST(AndOr, NoSplitHasLessStrength) {
  for (const int players : {2, 3, 4}) {
    for (uint64_t game = 0; game < 8; ++game) {
      const Dividends dividends = random_dividends(players, game);
      const AndOr split = and_or_effects(dividends);
      const std::vector<double> none(dividends.values.size(), 0.0);
      const double least = least_strength_by_simplex(slow_values(dividends.values, none));
      EXPECT_NEAR(split.strength, least, 1e-9 * least) << players << " players, game " << game;
      EXPECT_NEAR(split.bound, least, 1e-9 * least);
    }
  }
}

TEST(AndOr, EffectsMakeUpTheGameOnEverySet) {
  for (const int players : {1, 2, 5, 7}) {
    const Dividends dividends = random_dividends(players, 1);
    const AndOr split = and_or_effects(dividends);
    const std::vector<double> none(dividends.values.size(), 0.0);
    const std::vector<double> values = slow_values(dividends.values, none);
    const std::vector<double> again = slow_values(split.and_effects, split.or_effects), fast = values_of(split);
    for (size_t s = 0; s < values.size(); ++s) {
      EXPECT_NEAR(again[s], values[s], 1e-11);
      EXPECT_NEAR(fast[s], values[s], 1e-11);
    }
  }
}

TEST(AndOr, SinglesAreCountedOnceAsAnd) {
  const AndOr split = and_or_effects(random_dividends(6, 2));
  for (size_t player = 0; player < 6; ++player) EXPECT_EQ(split.or_effects[size_t{1} << player], 0);
  EXPECT_EQ(split.or_effects[0], 0);
}

TEST(AndOr, OrDividendsAreThoseOfTheDefinition) {
  const Dividends dividends = random_dividends(5, 3);
  const std::vector<double> none(32, 0.0), values = slow_values(dividends.values, none);
  const std::vector<double> effects = or_dividends(dividends);
  for (size_t t = 1; t < 32; ++t) {
    double expected = 0;
    for (size_t l = 0; l < 32; ++l) {
      if ((l & t) == l) expected -= (std::popcount(t ^ l) % 2 == 0 ? 1 : -1) * values[31 & ~l];
    }
    EXPECT_NEAR(effects[t], expected, 1e-11);
  }
}

TEST(AndOr, StoppedEarlyItIsStillNoWorseThanAndOrOrAlone) {
  for (uint64_t game = 0; game < 4; ++game) {
    const Dividends dividends = random_dividends(6, game);
    const double least = and_or_effects(dividends).strength;
    double before = INFINITY;
    for (const int64_t steps : {1, 3, 6}) {
      const AndOr split = and_or_effects(dividends, steps);
      EXPECT_EQ(split.steps, steps);
      EXPECT_FALSE(split.optimal);
      EXPECT_LE(split.strength, before * (1 + 1e-12));
      EXPECT_LE(split.strength, std::min(split.and_alone, split.or_alone) * (1 + 1e-12));
      EXPECT_LE(split.bound, least * (1 + 1e-12));
      EXPECT_GT(split.gap(), 0);
      before = split.strength;
    }
  }
  // Where AND alone is far off, one step from it is worse than OR alone, which is taken then.
  const Dividends disjunctions =
      dividends_of(slow_values(table_of(5, {}), table_of(5, {{0b11111, 1}, {0b01111, 2}, {0b11110, -3}})));
  const AndOr split = and_or_effects(disjunctions, 1);
  EXPECT_NEAR(split.strength, 6, 1e-11);
}

TEST(AndOr, OfAGameThatNeverChangesIsNothing) {
  const AndOr split = and_or_effects(dividends_of(std::vector<double>(8, 2.5)));
  EXPECT_EQ(split.strength, 0);
  EXPECT_EQ(split.gap(), 0);
  EXPECT_TRUE(split.optimal);
  EXPECT_EQ(split.and_effects[0], 2.5);
}

TEST(AndOr, RefusesMorePlayersThanItsTableHolds) {
  Dividends dividends;
  dividends.players = kMostAndOrPlayers + 1;
  dividends.values.assign(size_t{1} << dividends.players, 0.0);
  expect_error(ErrorKind::argument, "at most 12", [&] { and_or_effects(dividends); });
}

}  // namespace
}  // namespace ascribe::core
