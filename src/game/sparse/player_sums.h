// What the search for terms asks for all the time: the sum of values over some rows, those in which a player is
// present, for each of many players at once.
//
// Eight players are a byte of each row. A row's value is added to one of 256 sums, that of its byte, and the eight
// players' sums are folded out of the 256 at last: one addition instead of eight, and none for rows that do not count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "game/sparse/samples.h"

namespace ascribe::core {

class PlayerSums {
 public:
  PlayerSums(const BitColumns& bits, std::span<const int> players);

  int64_t players() const { return players_; }
  // One sum for each of the players, in their order. Rows are bits, as columns have them.
  void over(std::span<const uint64_t> rows, std::span<const double> values, std::span<double> sums) const;

 private:
  int64_t players_, groups_;    // of eight players, filled up with nobody
  std::vector<uint8_t> bytes_;  // [rows of whole words, groups]
};

}  // namespace ascribe::core
