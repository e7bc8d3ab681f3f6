// Walks the registry of interaction indices: each against its paper's definition, and its properties.
#include "game/interaction_index.h"

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include "base/random.h"
#include "game/index_definitions.h"
#include "game/moebius.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

constexpr int kFewest = 2, kMost = 7;

DefinedGame random_game(int players, uint64_t seed) {
  DefinedGame game{players, std::vector<double>(size_t{1} << players)};
  const Random random(seed, static_cast<uint64_t>(players));
  for (size_t i = 0; i < game.values.size(); ++i) game.values[i] = random.normal(i);
  return game;
}

Dividends dividends_of(const DefinedGame& game) {
  Game table = table_game(game.values);
  return exact_dividends(table, size_t{1} << 30);
}

IndexValues values_of(const Effects& effects) {
  IndexValues result;
  for (const Effect& effect : effects.effects) {
    unsigned set = 0;
    for (const int player : effect.support) set |= 1U << player;
    EXPECT_TRUE(result.emplace(set, effect.value).second) << "a set is listed twice";
  }
  return result;
}

IndexValues computed(const InteractionIndex& index, const DefinedGame& game, int order) {
  return values_of(compute_index(index, dividends_of(game), order));
}

void expect_near(const IndexValues& got, const IndexValues& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [set, value] : expected) {
    ASSERT_EQ(got.count(set), 1) << set;
    EXPECT_NEAR(got.at(set), value, tolerance) << "set " << set;
  }
}

// Calls f(index, players, order) for all there are.
template <class F>
void for_each_case(int most_players, F&& f) {
  for (const auto& [name, index] : IndexRegistry::instance().entries()) {
    for (int players = kFewest; players <= most_players; ++players) {
      for (int order = index.least_order; order <= std::min(players, index.most_order); ++order) {
        SCOPED_TRACE(fmt::format("{} of order {}, {} players", name, order, players));
        f(index, players, order);
      }
    }
  }
}

TEST(InteractionIndex, EachIsWhatItsPaperDefines) {
  for_each_case(6, [](const InteractionIndex& index, int players, int order) {
    ASSERT_EQ(index_definitions().count(index.name), 1) << "no definition to compare with";
    const DefinedGame game = random_game(players, 3);
    expect_near(computed(index, game, order), index_definitions().at(index.name)(game, order), 1e-10);
  });
}

TEST(InteractionIndex, EfficientOnesSumToTheChangeOfTheValue) {
  for_each_case(kMost, [](const InteractionIndex& index, int players, int order) {
    const DefinedGame game = random_game(players, 5);
    const Effects effects = compute_index(index, dividends_of(game), order);
    EXPECT_NEAR(effects.change(), game.values.back() - game.values.front(), 1e-11);
    double sum = 0;
    for (const Effect& effect : effects.effects) sum += effect.value;
    EXPECT_NEAR(effects.remainder, effects.change() - sum, 1e-11);
    if (index.efficient) {
      EXPECT_NEAR(effects.remainder, 0, 1e-11);
    }
  });
}

TEST(InteractionIndex, OnesThatAreNotEfficientLeaveARemainder) {
  for (const auto& [name, index] : IndexRegistry::instance().entries()) {
    const int order = std::min(2, index.most_order);
    const Effects effects = compute_index(index, dividends_of(random_game(5, 5)), order);
    EXPECT_EQ(index.efficient, std::abs(effects.remainder) < 1e-9) << name;
  }
}

TEST(InteractionIndex, DividendsOfAllOrdersSumToTheChangeOfTheValue) {
  const Effects effects = compute_index(index_named("moebius"), dividends_of(random_game(6, 8)), 6);
  EXPECT_EQ(effects.effects.size(), 63);
  EXPECT_NEAR(effects.remainder, 0, 1e-12);
}

// A player whose presence changes nothing.
TEST(InteractionIndex, OfAPlayerWithoutEffectIsZero) {
  for_each_case(kMost, [](const InteractionIndex& index, int players, int order) {
    DefinedGame game = random_game(players, 7);
    const unsigned idle = 1U << (players / 2);
    for (unsigned set = 0; set < game.values.size(); ++set) game.values[set] = game.values[set & ~idle];
    double largest = 0;
    for (const auto& [set, value] : computed(index, game, order)) {
      if ((set & idle) != 0) largest = std::max(largest, std::abs(value));
    }
    if (index.dummy) {
      EXPECT_LT(largest, 1e-11);
    } else if (order > 1) {
      EXPECT_GT(largest, 1e-3);
    }
  });
}

unsigned exchanged(unsigned set, int a, int b) {
  const unsigned differ = (set >> a ^ set >> b) & 1U;
  return set ^ (differ << a | differ << b);
}

TEST(InteractionIndex, FollowsTwoPlayersWhoChangePlaces) {
  for_each_case(kMost, [](const InteractionIndex& index, int players, int order) {
    const DefinedGame game = random_game(players, 9);
    DefinedGame other = game;
    for (unsigned set = 0; set < game.values.size(); ++set) {
      other.values[exchanged(set, 0, players - 1)] = game.values[set];
    }
    IndexValues expected;
    for (const auto& [set, value] : computed(index, game, order)) expected[exchanged(set, 0, players - 1)] = value;
    expect_near(computed(index, other, order), expected, 1e-11);
  });
}

TEST(InteractionIndex, IsLinearInTheGame) {
  for_each_case(kMost, [](const InteractionIndex& index, int players, int order) {
    const DefinedGame a = random_game(players, 11), b = random_game(players, 12);
    DefinedGame mixed = a;
    for (size_t i = 0; i < mixed.values.size(); ++i) mixed.values[i] = 2 * a.values[i] - 3 * b.values[i];
    IndexValues expected = computed(index, a, order);
    const IndexValues other = computed(index, b, order);
    for (auto& [set, value] : expected) value = 2 * value - 3 * other.at(set);
    expect_near(computed(index, mixed, order), expected, 1e-10);
  });
}

TEST(InteractionIndex, DoesNotSeeAConstantAddedToTheGame) {
  for_each_case(5, [](const InteractionIndex& index, int players, int order) {
    const DefinedGame game = random_game(players, 13);
    DefinedGame lifted = game;
    for (double& value : lifted.values) value += 10;
    expect_near(computed(index, lifted, order), computed(index, game, order), 1e-10);
  });
}

TEST(InteractionIndex, UnanimityGamesGiveBackTheirCoefficients) {
  for (int players = kFewest; players <= kMost; ++players) {
    const DefinedGame coefficients = random_game(players, 17);
    DefinedGame game{players, std::vector<double>(coefficients.values.size())};
    for (unsigned set = 0; set < game.values.size(); ++set) {
      for (unsigned part = 0; part < game.values.size(); ++part) {
        if ((part & ~set) == 0) game.values[set] += coefficients.values[part];
      }
    }
    for (const auto& [set, value] : computed(index_named("moebius"), game, players)) {
      EXPECT_NEAR(value, coefficients.values[set], 1e-12) << set;
    }
  }
}

// Where all sets are small enough for the order, faithful and Taylor indices are the dividends.
TEST(InteractionIndex, OfAGameWithinTheOrderIsItsDividends) {
  DefinedGame dividends = random_game(6, 19);
  for (unsigned set = 0; set < dividends.values.size(); ++set) {
    if (std::popcount(set) > 2) dividends.values[set] = 0;
  }
  for (const char* name : {"moebius", "stii", "fsii", "fbii", "k_sii"}) {
    const Effects effects = compute_index(index_named(name), {.players = 6, .values = dividends.values}, 2);
    for (const auto& [set, value] : values_of(effects)) EXPECT_NEAR(value, dividends.values[set], 1e-12) << name;
  }
}

TEST(InteractionIndex, OfAnOrderAboveTheNumberOfPlayersIsOfThemAll) {
  const DefinedGame game = random_game(3, 21);
  expect_near(computed(index_named("stii"), game, 20), computed(index_named("stii"), game, 3), 0);
}

// More players than the table of small subsets has, and more sets than one thread takes at once.
TEST(InteractionIndex, OfManyPlayersIsTheSumOverSupersets) {
  const DefinedGame game = random_game(14, 23);
  const Dividends dividends = dividends_of(game);
  const IndexValues fsii = values_of(compute_index(index_named("fsii"), dividends, 2));
  const IndexValues joint = values_of(compute_index(index_named("egv"), dividends, 2));
  ASSERT_EQ(fsii.size(), 14 + 91);
  for (const auto& [set, value] : fsii) {
    double sum = 0;
    const int s = std::popcount(set);
    for (unsigned t = 0; t < game.values.size(); ++t) {
      if ((t & set) != set) continue;
      const int size = std::popcount(t);
      // s / (2 + s) C(2, s) C(t-1, 2) / C(t+1, 2+s), by hand for s = 1 and 2
      const double top = (size - 1) * (size - 2) / 2.0;
      const double weight = s == 1 ? -2.0 / 3 * top / ((size + 1) * size * (size - 1) / 6.0)
                                   : 0.5 * top / ((size + 1) * size * (size - 1) * (size - 2) / 24.0);
      sum += size > 2 ? weight * dividends.values[t] : t == set ? dividends.values[t] : 0;
    }
    EXPECT_NEAR(value, sum, 1e-10);
    EXPECT_NEAR(joint.at(set), game.values.back() - game.values[game.values.size() - 1 - set], 1e-11);
  }
}

TEST(InteractionIndex, ThatDoesNotExistIsRefusedWithThoseThatDo) {
  expect_error(ErrorKind::argument, "expected one of banzhaf, bgv", [] { index_named("sigh"); });
}

TEST(InteractionIndex, RefusesAnOrderItDoesNotHave) {
  const Dividends dividends = dividends_of(random_game(3, 1));
  expect_error(ErrorKind::argument, "got 0; expected 1 to 64",
               [&] { compute_index(index_named("sii"), dividends, 0); });
  expect_error(ErrorKind::argument, "got 2; expected 1 to 1",
               [&] { compute_index(index_named("shapley"), dividends, 2); });
}

TEST(InteractionIndex, SaysWhatItIs) {
  for (const auto& [name, index] : IndexRegistry::instance().entries()) {
    EXPECT_FALSE(index.title.empty() || index.formula.empty() || index.source.empty()) << name;
    EXPECT_EQ(index.formula.find('\n'), std::string::npos) << name;
    EXPECT_LE(index.least_order, index.most_order);
  }
}

}  // namespace
}  // namespace ascribe::core
