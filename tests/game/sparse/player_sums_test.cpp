// Sums over rows in which players are present, against one loop over rows and players.
#include "game/sparse/player_sums.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ascribe::core {
namespace {

TEST(PlayerSums, AreThoseOfALoopOverRowsAndPlayers) {
  for (const int64_t count : {1, 7, 8, 9, 63, 64, 65, 200}) {
    for (const int64_t rows : {1, 63, 64, 65, 700}) {
      const Coalitions sets = draw_coalitions(count + 3, 0, rows, DrawnBy::sizes, 5, 1);
      const BitColumns bits(sets, 0, rows);
      // Not all of them, and not in their order.
      const std::vector<int64_t> order = Random(3, 4).permutation(static_cast<uint64_t>(count), count + 3);
      const std::vector<int> players(order.begin(), order.begin() + count);
      std::vector<double> values;
      for (int64_t row = 0; row < rows; ++row) values.push_back(Random(7, 8).normal(static_cast<uint64_t>(row)));
      for (const std::vector<int>& inside : {std::vector<int>{}, {0}, {0, static_cast<int>(count)}}) {
        std::vector<double> expected(players.size(), 0.0), sums(players.size(), 99.0);
        for (int64_t row = 0; row < rows; ++row) {
          bool counts = true;
          for (const int player : inside) counts = counts && sets.has(row, player);
          for (size_t p = 0; p < players.size(); ++p) {
            if (counts && sets.has(row, players[p])) expected[p] += values[static_cast<size_t>(row)];
          }
        }
        const FixedValues fixed(values);
        PlayerSums(bits, players).over(bits.all_of(inside), fixed, sums);
        const double rounding = 0.5001 * fixed.unit * static_cast<double>(rows);
        for (size_t p = 0; p < players.size(); ++p) EXPECT_NEAR(sums[p], expected[p], rounding) << count << " " << rows;
      }
    }
  }
}

TEST(PlayerSums, OverNoRowsAreNothing) {
  const BitColumns bits(draw_coalitions(10, 0, 100, DrawnBy::halves, 1, 1), 0, 100);
  const std::vector<int> players = {2, 3};
  const std::vector<double> values(100, 1.0);
  std::vector<double> sums = {5, 5};
  PlayerSums(bits, players).over(std::vector<uint64_t>(2), FixedValues(values), sums);
  EXPECT_EQ(sums, (std::vector<double>{0, 0}));
}

// Sums of 32 bits would overflow: every row has the largest value.
TEST(PlayerSums, OfManyLargeValuesAreRight) {
  constexpr int64_t kRows = 10000;
  Coalitions sets(3);
  for (int64_t row = 0; row < kRows; ++row) sets.add(std::vector<int64_t>{1});
  const BitColumns bits(sets, 0, kRows);
  for (const double value : {-4e7, 4e7}) {
    std::vector<double> sums(3);
    PlayerSums(bits, std::vector<int>{0, 1, 2})
        .over(bits.all_of({}), FixedValues(std::vector<double>(kRows, value)), sums);
    EXPECT_EQ(sums[0], 0);
    EXPECT_NEAR(sums[1], value * kRows, 1e-9 * std::abs(value) * kRows);
    EXPECT_EQ(sums[2], 0);
  }
}

TEST(FixedValues, AreTheNearestMultiplesOfAMillionthOfTheLargest) {
  const std::vector<double> numbers = {-2, 0, 1e-7, 0.3, -0.7, 1.99};
  const FixedValues fixed(numbers);
  EXPECT_LT(fixed.unit, 2.1e-6);
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_NEAR(fixed.values[i] * fixed.unit, numbers[i], 0.5001 * fixed.unit);
  }
  EXPECT_NEAR(fixed.sum(std::vector<uint64_t>{0b101001}), -2 + 0.3 + 1.99, 1.6 * fixed.unit);
  for (const double small : {0.0, 1e-310}) {
    EXPECT_EQ(FixedValues(std::vector<double>{small, -small}).values, (std::vector<int32_t>{0, 0}));
  }
}

}  // namespace
}  // namespace ascribe::core
