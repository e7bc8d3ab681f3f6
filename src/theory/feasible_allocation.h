// Could an attribution have come from an allocation that obeys principles 2 and 3? Such an allocation gives every
// effect J(S) to the players of S alone, in shares w(i, S) that sum to 1:
//   a_i = sum over S with i of w(i, S) J(S).
// Shares of any sign, which is all that the paper asks: the players of a set with J(S) != 0 can trade among themselves,
// so the attributions that pass are those that give each group of players, connected by such sets, the sum of its
// effects (balanced_groups). Shares >= 0 are more than the paper asks, and Integrated Gradients, for one, may need
// negative ones; those that pass are the selectope of the game (Hammer, Peled, Sorensen 1977; docs/decisions/010).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core {

// Players that are connected by effects of several players, and what they got together.
struct BalancedGroup {
  uint64_t players = 0;
  double got = 0, effects = 0;  // of all sets within the group
  double missing() const { return effects - got; }
};

// Shares of any sign. Sets whose effect is at most `negligible` connect nobody.
struct BalancedGroups {
  std::vector<BalancedGroup> groups;  // the one that is off most first
  double distance = 0;                // to the nearest attribution that passes: the sum of absolute differences

  bool feasible(double tolerance) const { return distance <= tolerance; }
};
BalancedGroups balanced_groups(std::span<const double> attribution, std::span<const double> effects, double negligible);

// Shares that are not negative: the base polytope of the supermodular function
//   least(T) = sum of J(S) > 0 inside of T  +  sum of J(S) < 0 that meet T,
// the least that the players of T can get together (Derks, Haller, Peters 2000); so 2^m comparisons decide.
struct FeasibleAllocation {
  // To the nearest attribution that passes: the sum of absolute differences,
  //   max over T of (least(T) - a(T)) + (a(rest) - most(rest)).
  double distance = 0;
  uint64_t short_players = 0;  // a T where it is reached; the rest have too much
  double got = 0, least = 0;   // of T together
  double rest_got = 0, rest_most = 0;
  // What each player can get at all.
  std::vector<double> least_of, most_of;

  bool feasible(double tolerance) const { return distance <= tolerance; }
};

// `effects`: J(S), S as bits; entry 0 is not used.
FeasibleAllocation feasible_allocation(std::span<const double> attribution, std::span<const double> effects);

// Players without any effect: v(S and i) and v(S) differ by no more than the tolerance, for every S.
std::vector<int> dummy_players(std::span<const double> effects, double tolerance);

}  // namespace ascribe::core
