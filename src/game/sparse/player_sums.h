// What the search for terms asks for all the time: the sum of values over some rows, those in which a player is
// present, for each of many players at once. Values are integers of a byte: what they are rounded by is much less than
// what chance does to a sum of many, and the search only asks which sums are large.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "game/sparse/samples.h"

namespace ascribe::core {

// Numbers as integers times a unit: the largest over 127, or more where sums of so many would overflow.
struct FixedValues {
  explicit FixedValues(std::span<const double> numbers);
  FixedValues(std::span<const double> numbers, double largest);  // of which none is larger
  double sum(std::span<const uint64_t> rows) const;
  double largest() const { return unit * 128; }  // no number is larger

  std::vector<int8_t> values;  // of whole words of rows
  double unit = 0;
};

class PlayerSums {
 public:
  PlayerSums(const BitColumns& bits, std::span<const int> players);

  int64_t players() const { return players_; }
  // One sum for each of the players, in their order. Rows are bits, as columns have them.
  void over(std::span<const uint64_t> rows, const FixedValues& values, std::span<double> sums) const;

 private:
  int64_t players_, words_;        // words of rows
  std::vector<uint64_t> members_;  // [players / 64, words, 16, 4]: as BitSums has them
};

}  // namespace ascribe::core
