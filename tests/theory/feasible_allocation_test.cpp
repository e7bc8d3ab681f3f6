#include "theory/feasible_allocation.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/random.h"
#include "support/simplex.h"

namespace ascribe::core {
namespace {

std::vector<double> random_effects(int players, uint64_t seed) {
  std::vector<double> effects(size_t{1} << players);
  for (size_t set = 0; set < effects.size(); ++set) effects[set] = Random(seed).normal(set);
  return effects;
}

// The distance as the linear program says it: shares w(i, S) >= 0 that sum to 1 for every S, and a_i + up_i - down_i
// equal to what the shares give; up + down is least.
double by_linear_program(const std::vector<double>& attribution, const std::vector<double>& effects) {
  const size_t players = attribution.size();
  std::vector<std::pair<size_t, size_t>> shares;  // (player, set)
  for (size_t set = 1; set < effects.size(); ++set) {
    for (size_t i = 0; i < players; ++i) {
      if ((set >> i & 1) != 0) shares.emplace_back(i, set);
    }
  }
  const size_t variables = shares.size() + 2 * players;
  Simplex program(variables);
  for (size_t set = 1; set < effects.size(); ++set) {
    std::vector<double> row(variables, 0.0);
    for (size_t k = 0; k < shares.size(); ++k) row[k] = shares[k].second == set ? 1 : 0;
    program.equal(row, 1);
  }
  for (size_t i = 0; i < players; ++i) {
    std::vector<double> row(variables, 0.0);
    for (size_t k = 0; k < shares.size(); ++k) row[k] = shares[k].first == i ? effects[shares[k].second] : 0;
    row[shares.size() + 2 * i] = -1;
    row[shares.size() + 2 * i + 1] = 1;
    program.equal(row, attribution[i]);
  }
  std::vector<double> cost(variables, 0.0);
  for (size_t k = shares.size(); k < variables; ++k) cost[k] = 1;
  return program.minimum(cost).value();
}

TEST(FeasibleAllocation, AcceptsWhateverSharesGive) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> effects = random_effects(4, seed);
    std::vector<double> attribution(4, 0.0);
    const Random random(seed, 1);
    for (size_t set = 1; set < effects.size(); ++set) {
      double total = 0;
      std::vector<double> shares(4, 0.0);
      for (size_t i = 0; i < 4; ++i) {
        if ((set >> i & 1) != 0) total += shares[i] = random.uniform(4 * set + i) + 1e-3;
      }
      for (size_t i = 0; i < 4; ++i) attribution[i] += shares[i] / total * effects[set];
    }
    EXPECT_LE(feasible_allocation(attribution, effects).distance, 1e-12) << seed;
  }
}

TEST(FeasibleAllocation, HasTheDistanceOfTheLinearProgram) {
  int outside = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const int players = 2 + static_cast<int>(seed % 3);
    const std::vector<double> effects = random_effects(players, seed);
    std::vector<double> attribution;
    for (int i = 0; i < players; ++i) attribution.push_back(3 * Random(seed, 2).normal(static_cast<uint64_t>(i)));
    const double distance = feasible_allocation(attribution, effects).distance;
    EXPECT_NEAR(distance, by_linear_program(attribution, effects), 1e-8) << seed;
    outside += distance > 0.1 ? 1 : 0;
  }
  EXPECT_GT(outside, 20);
}

// J(0) = 3 and J(0, 1, 2) = 2: player 0 gets 3 to 5, the others 0 to 2.
TEST(FeasibleAllocation, KnowsWhatEachPlayerCanGetOfTheStudyRoom) {
  const std::vector<double> effects = {0, 3, 0, 0, 0, 0, 0, 2};
  const FeasibleAllocation answer = feasible_allocation(std::vector<double>{2, 2, 1}, effects);
  EXPECT_EQ(answer.least_of, (std::vector<double>{3, 0, 0}));
  EXPECT_EQ(answer.most_of, (std::vector<double>{5, 2, 2}));
  EXPECT_DOUBLE_EQ(answer.distance, 2);  // 1 from the others to player 0
  EXPECT_EQ(answer.short_players, 0b001u);
  EXPECT_DOUBLE_EQ(answer.got, 2);
  EXPECT_DOUBLE_EQ(answer.least, 3);
  EXPECT_DOUBLE_EQ(answer.rest_got, 3);
  EXPECT_DOUBLE_EQ(answer.rest_most, 2);
}

TEST(FeasibleAllocation, OcclusionOfTheStudyRoomGivesTooMuch) {
  const std::vector<double> effects = {0, 3, 0, 0, 0, 0, 0, 2};
  EXPECT_DOUBLE_EQ(feasible_allocation(std::vector<double>{5, 2, 2}, effects).distance, 4);
}

// ---- shares of any sign ----

// f = 10 x1^2 x2 - 9.9 x1 x2^2 at (1, 1): J(1, 2) = 0.1, of which Integrated Gradients give 20/3 - 3.3 and 10/3 - 6.6.
TEST(BalancedGroups, AcceptIntegratedGradientsWhereSharesMustBeNegative) {
  const std::vector<double> effects = {0, 0, 0, 0.1}, attribution = {20.0 / 3 - 3.3, 10.0 / 3 - 6.6};
  EXPECT_LE(balanced_groups(attribution, effects, 1e-12).distance, 1e-12);
  EXPECT_GT(feasible_allocation(attribution, effects).distance, 6);
}

// The distance by the linear program, every share the difference of two numbers that are not negative.
double by_free_shares(const std::vector<double>& attribution, const std::vector<double>& effects) {
  const size_t players = attribution.size();
  std::vector<std::pair<size_t, size_t>> shares;
  for (size_t set = 1; set < effects.size(); ++set) {
    for (size_t i = 0; i < players; ++i) {
      if ((set >> i & 1) != 0) shares.emplace_back(i, set);
    }
  }
  const size_t variables = 2 * shares.size() + 2 * players;
  Simplex program(variables);
  const auto row_of = [&](const auto& weight) {
    std::vector<double> row(variables, 0.0);
    for (size_t k = 0; k < shares.size(); ++k) {
      row[2 * k] = weight(shares[k]);
      row[2 * k + 1] = -row[2 * k];
    }
    return row;
  };
  for (size_t set = 1; set < effects.size(); ++set) {
    program.equal(row_of([&](const auto& share) { return share.second == set ? 1.0 : 0.0; }), 1);
  }
  for (size_t i = 0; i < players; ++i) {
    std::vector<double> row = row_of([&](const auto& share) { return share.first == i ? effects[share.second] : 0.0; });
    row[2 * shares.size() + 2 * i] = -1;
    row[2 * shares.size() + 2 * i + 1] = 1;
    program.equal(row, attribution[i]);
  }
  std::vector<double> cost(variables, 0.0);
  for (size_t k = 2 * shares.size(); k < variables; ++k) cost[k] = 1;
  return program.minimum(cost).value();
}

TEST(BalancedGroups, HaveTheDistanceOfTheLinearProgramWithFreeShares) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    std::vector<double> effects = random_effects(3, seed), attribution;
    for (size_t set = 3; set < effects.size(); ++set) {
      if (Random(seed, 3).uniform(set) < 0.6) effects[set] = 0;  // often nobody is connected
    }
    for (size_t i = 0; i < 3; ++i) attribution.push_back(2 * Random(seed, 4).normal(i));
    EXPECT_NEAR(balanced_groups(attribution, effects, 0).distance, by_free_shares(attribution, effects), 1e-8) << seed;
  }
}

TEST(BalancedGroups, AreThePlayersThatEffectsConnect) {
  // J(0) = 3, J(0, 1) = 2, J(2) = 1: players 0 and 1 can trade, player 2 with nobody.
  const std::vector<double> effects = {7, 3, 0, 2, 1, 0, 0, 0};
  const BalancedGroups answer = balanced_groups(std::vector<double>{9, -4, 1.5}, effects, 1e-12);
  ASSERT_EQ(answer.groups.size(), 2u);
  EXPECT_EQ(answer.groups[0].players, 0b100u);
  EXPECT_DOUBLE_EQ(answer.groups[0].missing(), -0.5);
  EXPECT_EQ(answer.groups[1].players, 0b011u);
  EXPECT_DOUBLE_EQ(answer.groups[1].missing(), 0);
  EXPECT_DOUBLE_EQ(answer.distance, 0.5);
}

TEST(DummyPlayers, AreThoseWithoutAnyEffect) {
  EXPECT_EQ(dummy_players(std::vector<double>{7, 1, 0, 0, 2, 3, 0, 0}, 1e-12), (std::vector<int>{1}));
  EXPECT_TRUE(dummy_players(std::vector<double>{7, 1, 0, 0.1, 2, 3, 0, 0}, 1e-12).empty());
}

}  // namespace
}  // namespace ascribe::core
