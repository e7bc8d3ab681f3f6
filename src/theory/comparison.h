// Why two attributions of one question differ: d = a - a' is the sum over all sets S of the difference D(S) in what the
// players are given of the effect J(S). The part of the difference that a set explains is its projection onto d,
//   share(S) = <D(S), d> / <d, d>;
// the shares of all sets sum to 1. A share can be negative: without that set the two would differ more. Effects of many
// players are large and have both signs, and so do the shares; most of this cancels in the shares of pairs of players,
// which collect all sets that contain both.
#pragma once

#include <vector>

#include "theory/set_allocation.h"

namespace ascribe::core {

struct SetDifference {
  uint64_t set = 0;
  double effect = 0;                  // J(S); of the empty set 0
  double share = 0;                   // of the difference
  std::vector<double> first, second;  // what every player is given of it
};

// What two players do together, with or without others: every set counts for its pairs in equal parts. A player with
// itself: what it does alone.
struct PairDifference {
  int first = 0, second = 0;  // first <= second
  double share = 0;           // of the difference
};

struct Comparison {
  std::vector<double> first, second;  // the attributions
  double difference = 0;              // the sum of absolute differences
  double correlation = 0;             // of the two, not centred: 1 if they are the same but for a factor
  std::vector<SetDifference> sets;    // all of them, the largest share first
  std::vector<PairDifference> pairs;  // the largest share first; they and share_by_size[0] sum to 1
  double largest_size_share = 0;      // by size; far above 1: single sets cancel, read the pairs
  std::vector<double> share_by_size;  // by the number of players; entry 0: given with every player masked
};

// Two attributions by their values alone: without sets, pairs and shares.
Comparison compare_values(std::vector<double> first, std::vector<double> second);

Comparison compare_allocations(const SetAllocation& first, const SetAllocation& second);

}  // namespace ascribe::core
