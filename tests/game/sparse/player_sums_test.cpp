// Sums over rows in which players are present, against one loop over rows and players.
#include "game/sparse/player_sums.h"

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
        PlayerSums(bits, players).over(bits.all_of(inside), values, sums);
        // Other orders of adding at most 700 numbers of about 1.
        for (size_t p = 0; p < players.size(); ++p) EXPECT_NEAR(sums[p], expected[p], 1e-12) << count << " " << rows;
      }
    }
  }
}

TEST(PlayerSums, OverNoRowsAreNothing) {
  const BitColumns bits(draw_coalitions(10, 0, 100, DrawnBy::halves, 1, 1), 0, 100);
  const std::vector<int> players = {2, 3};
  const std::vector<double> values(100, 1.0);
  std::vector<double> sums = {5, 5};
  PlayerSums(bits, players).over(std::vector<uint64_t>(2), values, sums);
  EXPECT_EQ(sums, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace ascribe::core
