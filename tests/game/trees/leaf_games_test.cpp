// Games of trees against all 2^n coalitions in double, closed forms of stumps, and what Shapley values promise.
#include "game/trees/leaf_games.h"

#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "game/moebius.h"
#include "game/trees/tree_dividends.h"
#include "game/trees/tree_indices.h"
#include "game/trees/tree_shapley.h"
#include "support/errors.h"
#include "support/random_trees.h"

namespace ascribe::core {
namespace {

// Both ways are sums of some hundred numbers of size one.
constexpr double kRounding = 1e-12;

struct Case {
  TreeEnsemble trees;
  std::vector<std::vector<double>> x, b;
  std::vector<int32_t> player;  // of each column
  int players = 0;
};

Case random_case(int columns, uint64_t seed, int rows = 3, int baselines = 4) {
  Case made{random_trees(6, 4, columns, seed), {}, {}, {}, columns};
  for (int r = 0; r < rows; ++r) made.x.push_back(random_row(columns, 10 * seed + static_cast<uint64_t>(r)));
  for (int r = 0; r < baselines; ++r)
    made.b.push_back(random_row(columns, 1000 + 10 * seed + static_cast<uint64_t>(r)));
  for (int c = 0; c < columns; ++c) made.player.push_back(c);
  return made;
}

std::vector<double> by_column(const std::vector<std::vector<double>>& rows) {
  std::vector<double> result;
  for (size_t c = 0; c < rows[0].size(); ++c) {
    for (const auto& row : rows) result.push_back(row[c]);
  }
  return result;
}

TreeGame game_of(const Case& given) {
  TreeGame game;
  game.players = given.players;
  game.rows = std::ssize(given.x);
  game.baselines = std::ssize(given.b);
  game.parts.push_back(
      {std::make_shared<TreeEnsemble>(given.trees), given.player, by_column(given.x), by_column(given.b)});
  return game;
}

// v(S) of every set, row by row of the baselines.
std::vector<double> all_values(const Case& given, size_t row) {
  std::vector<double> values;
  for (uint64_t set = 0; set < uint64_t{1} << given.players; ++set) {
    double sum = 0;
    for (std::vector<double> mixed : given.b) {
      for (size_t c = 0; c < mixed.size(); ++c) {
        if (given.player[c] < 0 || (set >> given.player[c] & 1) != 0) mixed[c] = given.x[row][c];
      }
      sum += slow_tree_output(given.trees, mixed);
    }
    values.push_back(sum / static_cast<double>(given.b.size()));
  }
  return values;
}

Dividends dividends_of(std::vector<double> values, int players) {
  moebius_transform(values);
  return {players, std::move(values), 0, 0};
}

std::vector<std::vector<double>> leaf_weights(const Case& given) { return {given.trees.weight}; }

std::vector<double> shapley_of(const Case& given) {
  TreeReadout readout;
  readout.leaf_value = {leaf_weights(given)};
  readout.target.assign(given.x.size(), 0);
  return tree_shapley(game_of(given), readout);
}

// Each dividend shared equally.
std::vector<double> slow_shapley(const Case& given, size_t row) {
  const Dividends dividends = dividends_of(all_values(given, row), given.players);
  std::vector<double> shares(static_cast<size_t>(given.players), 0.0);
  for (uint64_t set = 1; set < dividends.values.size(); ++set) {
    for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
      shares[static_cast<size_t>(std::countr_zero(rest))] += dividends.values[set] / std::popcount(set);
    }
  }
  return shares;
}

void expect_shapley(const Case& given) {
  const std::vector<double> got = shapley_of(given);
  for (size_t row = 0; row < given.x.size(); ++row) {
    const std::vector<double> expected = slow_shapley(given, row);
    for (size_t p = 0; p < expected.size(); ++p) {
      EXPECT_NEAR(got[row * expected.size() + p], expected[p], kRounding) << "row " << row << ", player " << p;
    }
  }
}

TEST(TreeShapley, OfAStumpIsItsChange) {
  const Case given{stump(2, 5), {{-1, 3}, {1, 3}}, {{1, 0}, {-1, 0}}, {0, 1}, 2};
  EXPECT_EQ(shapley_of(given), (std::vector<double>{-1.5, 0, 1.5, 0}));
}

// x_0 <= 0 and x_1 <= 0: only both give 6, and they share it.
TEST(TreeShapley, OfAnAndIsSharedEqually) {
  TreeEnsemble both = stump(6, 0);
  both.nodes = {{.threshold = 0, .column = 0, .yes = 1, .no = ~1}, {.threshold = 0, .column = 1, .yes = ~0, .no = ~1}};
  settle(both, "test");
  EXPECT_EQ(shapley_of({both, {{-1, -1}}, {{1, 1}}, {0, 1}, 2}), (std::vector<double>{3, 3}));
  // From the other side it takes only one of them to lose it.
  EXPECT_EQ(shapley_of({both, {{1, 1}}, {{-1, -1}}, {0, 1}, 2}), (std::vector<double>{-3, -3}));
}

TEST(TreeShapley, IsThatOfAllCoalitions) {
  for (const int columns : {2, 3, 5, 10}) {
    for (uint64_t seed = 1; seed <= 4; ++seed) expect_shapley(random_case(columns, seed));
  }
}

TEST(TreeShapley, GroupsOfColumnsComeAndGoTogether) {
  Case given = random_case(9, 5);
  given.player = {0, 0, 1, 2, 1, 2, 2, 3, 0};
  given.players = 4;
  expect_shapley(given);
}

TEST(TreeShapley, WhatNobodyOwnsStaysAtX) {
  Case given = random_case(6, 6, 1);
  given.player = {0, -1, 1, 2, -1, 2};
  given.players = 3;
  for (auto& row : given.b) row[1] = given.x[0][1], row[4] = given.x[0][4];
  expect_shapley(given);
}

TEST(TreeShapley, MissingValuesGoWhereTheNodeSendsThem) {
  Case given = random_case(5, 7);
  given.x[0][2] = given.b[1][0] = given.b[2][3] = std::numeric_limits<double>::quiet_NaN();
  expect_shapley(given);
}

TEST(TreeShapley, AColumnThatIsNotComparedGetsNothing) {
  Case given = random_case(4, 8);
  for (auto& row : given.x) row.push_back(5);
  for (auto& row : given.b) row.push_back(-5);
  given.player.push_back(4);
  given.players = 5;
  const std::vector<double> values = shapley_of(given);
  for (size_t row = 0; row < given.x.size(); ++row) EXPECT_EQ(values[row * 5 + 4], 0);
}

// Trees that compare columns 0 and 1 alike, and rows and baselines that have the same there.
TEST(TreeShapley, EqualColumnsGetTheSame) {
  Case given = random_case(3, 9);
  TreeEnsemble other = given.trees;
  for (TreeNode& node : other.nodes) node.column = node.column == 0 ? 1 : node.column == 1 ? 0 : 2;
  for (auto* side : {&given.x, &given.b}) {
    for (auto& row : *side) row[1] = row[0];
  }
  TreeGame game = game_of(given);
  game.parts.push_back(game.parts[0]);
  game.parts[1].trees = std::make_shared<TreeEnsemble>(other);
  TreeReadout readout{{{given.trees.weight}, {other.weight}}, std::vector<int32_t>(given.x.size(), 0)};
  const std::vector<double> values = tree_shapley(game, readout);
  for (size_t row = 0; row < given.x.size(); ++row) EXPECT_NEAR(values[row * 3], values[row * 3 + 1], kRounding);
}

// Five hundred players: nothing is enumerated, and the values still add up.
TEST(TreeShapley, OfManyPlayersAddsUpToTheChange) {
  Case given = random_case(500, 10, 5, 3);
  given.trees = random_trees(200, 6, 500, 10);
  const std::vector<double> values = shapley_of(given);
  for (size_t row = 0; row < given.x.size(); ++row) {
    double change = slow_tree_output(given.trees, given.x[row]), sum = 0;
    for (const auto& b : given.b) change -= slow_tree_output(given.trees, b) / static_cast<double>(given.b.size());
    for (size_t p = 0; p < 500; ++p) sum += values[row * 500 + p];
    EXPECT_NEAR(sum, change, 1e-10);
  }
}

TEST(TreeShapley, BitsDoNotDependOnThreads) {
  const Case given = random_case(7, 11, 700, 9);
  set_thread_count(1);
  const std::vector<double> alone = shapley_of(given);
  set_thread_count(4);
  EXPECT_EQ(shapley_of(given), alone);
  set_thread_count(0);
}

TEST(TreeDividends, AreThoseOfAllCoalitions) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Case given = random_case(8, seed);
    const std::vector<double> values = all_values(given, 1);
    const Dividends expected = dividends_of(values, 8);
    const auto games = leaf_games(game_of(given), 1, leaf_weights(given));
    const Dividends got = as_table(tree_dividends(games, 8, 0, 1 << 20, values.back(), values[0]));
    EXPECT_NEAR(got.residual, 0, kRounding);
    for (size_t set = 0; set < values.size(); ++set) EXPECT_NEAR(got.values[set], expected.values[set], kRounding);
    const Effects pairs = tree_dividends(games, 8, 2, 1 << 20, values.back(), values[0]);
    EXPECT_EQ(pairs.order, 2);
    for (const Effect& effect : pairs.effects) {
      uint64_t set = 0;
      for (const int p : effect.support) set |= uint64_t{1} << p;
      EXPECT_LE(effect.support.size(), 2U);
      EXPECT_NEAR(effect.value, expected.values[set], kRounding);
    }
  }
}

TEST(TreeDividends, MoreThanThereIsRoomForAreRefused) {
  std::vector<int> many(40);
  for (int i = 0; i < 40; ++i) many[static_cast<size_t>(i)] = i;
  const std::vector<LeafGame> games = {{{}, many, 1.0}};
  expect_error(ErrorKind::argument, "effects of up to 40 players",
               [&] { tree_dividends(games, 40, 0, 1 << 20, 0, 1); });
  EXPECT_EQ(tree_dividends(games, 40, 2, 1 << 20, 0, 1).effects.size(), 40U + 780U);
}

// Every index there is, of every order, against the sums over all dividends.
TEST(TreeIndices, AreThoseOfAllCoalitions) {
  for (const auto& [name, index] : IndexRegistry::instance().entries()) {
    for (const int players : {2, 5, 7}) {
      const Case given = random_case(players, 20 + static_cast<uint64_t>(players), 1, 3);
      const std::vector<double> values = all_values(given, 0);
      const Dividends dividends = dividends_of(values, players);
      const auto games = leaf_games(game_of(given), 0, leaf_weights(given));
      for (int order = index.least_order; order <= std::min({players, index.most_order, 4}); ++order) {
        SCOPED_TRACE(fmt::format("{} of order {}, {} players", name, order, players));
        const Effects expected = compute_index(index, dividends, order);
        const Effects got = tree_index(index, games, players, order, 1 << 24, values.back(), values[0]);
        std::map<std::vector<int>, double> found;
        for (const Effect& effect : got.effects) found[effect.support] = effect.value;
        for (const Effect& effect : expected.effects) {
          const auto place = found.find(effect.support);
          EXPECT_NEAR(place == found.end() ? 0.0 : place->second, effect.value, 1e-10);
        }
        EXPECT_LE(got.effects.size(), expected.effects.size());
      }
    }
  }
}

// A leaf with forty players of x and twenty of b: sums over 2^20 subsets would cancel, closed forms do not.
TEST(TreeIndices, OfLongPathsKeepTheirDigits) {
  LeafGame game{{}, {}, 1};
  for (int p = 0; p < 60; ++p) (p < 40 ? game.inside : game.outside).push_back(p);
  const Effects sii = tree_index(index_named("sii"), {game}, 60, 1, 1 << 20, 1, 0);
  // 39! 20! / 60!, and -40! 19! / 60!
  const double inside = std::exp(std::lgamma(40) + std::lgamma(21) - std::lgamma(61));
  const double outside = -std::exp(std::lgamma(41) + std::lgamma(20) - std::lgamma(61));
  EXPECT_NEAR(sii.effects[0].value / inside, 1, 1e-11);
  EXPECT_NEAR(sii.effects[59].value / outside, 1, 1e-11);
}

TEST(LeafGames, ALongPathIsCounted) {
  TreeEnsemble chain = stump(1, 0);
  chain.nodes.clear();
  for (int i = 0; i < 70; ++i) {
    chain.nodes.push_back({.threshold = 0, .column = i, .yes = i == 69 ? ~0 : i + 1, .no = ~1});
  }
  settle(chain, "test");
  std::vector<int32_t> own, shared;
  for (int i = 0; i < 70; ++i) own.push_back(i), shared.push_back(i % 3);
  EXPECT_GT(most_path_players(chain, own), kMostPathPlayers);
  EXPECT_EQ(most_path_players(chain, shared), 3);
}

}  // namespace
}  // namespace ascribe::core
