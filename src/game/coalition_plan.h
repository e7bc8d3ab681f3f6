// Values that are linear in a game: a(k) = sum over S of M(k, S) v(S), for a list of coalitions that is fixed
// beforehand, such as occlusion, Shapley values over given permutations, and regressions. The same plan is computed
// from a game or written into a graph.
#pragma once

#include <span>
#include <vector>

#include "game/coalitions.h"

namespace ascribe::core {

struct CoalitionPlan {
  struct Term {
    int64_t value;  // which of the values
    int64_t set;    // which of the sets
    double weight;
  };

  Coalitions sets;          // set 0: everyone
  int64_t values = 0;       // how many there are
  std::vector<Term> terms;  // M where it is not zero

  // M v, v one number per set.
  std::vector<double> apply(std::span<const double> v) const;
  // M', [sets, values], dense.
  std::vector<double> matrix() const;
};

// Everyone, as the words of a coalition.
std::vector<uint64_t> everyone(int64_t players);

// One value for each player: v(N) - v(N without it).
CoalitionPlan leave_one_out(int64_t players);

// All 2^players coalitions, number c that of the bits c; set 0 is everyone and exchanged with the empty set, which
// has the last number. Shapley's weights: (s-1)! (m-s)! / m! with the player, -s! (m-s-1)! / m! without.
CoalitionPlan all_coalitions(int64_t players);
std::vector<double> shapley_weights(int64_t players);  // of v(S with p) - v(S), by the size of S: 0 .. players - 1

// The Shapley value over this many random orders, each with its reverse: the mean of v(before and p) - v(before).
CoalitionPlan paired_orders(int64_t players, int64_t pairs, uint64_t seed);
// Appends what the pair needs: 2 (players - 1) sets, the first ones of the order, shortest first, then of its reverse.
void add_pair(Coalitions& sets, uint64_t seed, int64_t pair);
// What each player gets in the pair, from the values of those sets, of no one and of everyone.
std::vector<double> read_pair(int64_t players, uint64_t seed, int64_t pair, const double* values, double empty,
                              double full);

}  // namespace ascribe::core
