// What the search for terms asks for all the time: the sum of values over some rows, those in which a player is
// present, for each of many players at once. Sixty-four players are a word of each row, and values are integers, which
// are added in any order and in half of the space.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "game/sparse/samples.h"

namespace ascribe::core {

// Numbers as integers times a unit: a millionth of the largest.
struct FixedValues {
  explicit FixedValues(std::span<const double> numbers);
  double sum(std::span<const uint64_t> rows) const;

  std::vector<int32_t> values;
  double unit = 0;
};

class PlayerSums {
 public:
  PlayerSums(const BitColumns& bits, std::span<const int> players);

  int64_t players() const { return players_; }
  // One sum for each of the players, in their order. Rows are bits, as columns have them.
  void over(std::span<const uint64_t> rows, const FixedValues& values, std::span<double> sums) const;

 private:
  int64_t players_, rows_;         // rows of whole words
  std::vector<uint64_t> members_;  // [players / 64, rows]: whether each of 64 is present
};

}  // namespace ascribe::core
