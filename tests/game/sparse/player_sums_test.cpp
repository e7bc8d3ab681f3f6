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
        const FixedValues fixed(values);
        std::vector<double> sums(players.size(), 99.0);
        std::vector<int64_t> expected(players.size());
        for (int64_t row = 0; row < rows; ++row) {
          bool counts = true;
          for (const int player : inside) counts = counts && sets.has(row, player);
          for (size_t p = 0; p < players.size(); ++p) {
            if (counts && sets.has(row, players[p])) expected[p] += fixed.values[static_cast<size_t>(row)];
          }
        }
        PlayerSums(bits, players).over(bits.all_of(inside), fixed, sums);
        for (size_t p = 0; p < players.size(); ++p) {
          EXPECT_EQ(sums[p], fixed.unit * static_cast<double>(expected[p])) << count << " " << rows;
        }
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

TEST(FixedValues, AreTheNearestMultiplesOfTheLargestOver127) {
  const std::vector<double> numbers = {-2, 0, 1e-7, 0.3, -0.7, 1.99};
  const FixedValues fixed(numbers);
  EXPECT_NEAR(fixed.unit, 2.0 / 127, 1e-9);
  EXPECT_EQ(fixed.values.size(), 64U);
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_NEAR(fixed.values[i] * fixed.unit, numbers[i], 0.5001 * fixed.unit);
    EXPECT_GE(fixed.largest(), std::abs(numbers[i]));
  }
  EXPECT_NEAR(fixed.sum(std::vector<uint64_t>{0b101001}), -2 + 0.3 + 1.99, 1.6 * fixed.unit);
  EXPECT_NEAR(FixedValues(numbers, 4).unit, 4.0 / 127, 1e-9);
  for (const double small : {0.0, 1e-310}) {
    EXPECT_EQ(FixedValues(std::vector<double>{small, -small}).values, std::vector<int8_t>(64));
  }
}

// 34 million of them at 127 each would not fit into 32 bits; half of what fits is left unused.
TEST(FixedValues, AreSmallerWhereSumsOfThemWouldOverflow) {
  const std::vector<double> numbers(1 << 24, -3.0);
  const FixedValues fixed(numbers);
  EXPECT_LE(std::abs(fixed.values[0]) * std::ssize(numbers), int64_t{1} << 30);
  const std::vector<uint64_t> all(numbers.size() / 64, ~uint64_t{0});
  EXPECT_NEAR(fixed.sum(all), -3.0 * (1 << 24), 0.5 * fixed.unit * (1 << 24));
}

}  // namespace
}  // namespace ascribe::core
