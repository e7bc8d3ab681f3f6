#include "theory/feasible_allocation.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "game/moebius.h"

namespace ascribe::core {

namespace {

// The sums over subsets of the effects of one sign.
std::vector<double> sums_of_sign(std::span<const double> effects, bool positive) {
  std::vector<double> sums(effects.size(), 0.0);
  for (size_t set = 1; set < sums.size(); ++set) {
    if ((effects[set] > 0) == positive) sums[set] = effects[set];
  }
  zeta_transform(sums);
  return sums;
}

std::vector<double> least_of_sets(std::span<const double> effects) {
  std::vector<double> least = sums_of_sign(effects, true);
  const std::vector<double> negative = sums_of_sign(effects, false);
  const size_t all = effects.size() - 1;
  for (size_t set = 0; set < least.size(); ++set) least[set] += negative[all] - negative[all ^ set];
  return least;
}

std::vector<double> sums_of_players(std::span<const double> attribution, size_t sets) {
  std::vector<double> sums(sets, 0.0);
  for (size_t set = 1; set < sets; ++set) {
    sums[set] = sums[set & (set - 1)] + attribution[static_cast<size_t>(std::countr_zero(set))];
  }
  return sums;
}

// Every player's group, as bits: sets of several players join theirs.
std::vector<uint64_t> groups_of(size_t players, std::span<const double> effects, double negligible) {
  std::vector<uint64_t> group;
  for (size_t i = 0; i < players; ++i) group.push_back(uint64_t{1} << i);
  for (uint64_t set = 1; set < effects.size(); ++set) {
    if (std::popcount(set) < 2 || std::abs(effects[set]) <= negligible) continue;
    uint64_t joined = 0;
    for (size_t i = 0; i < players; ++i) joined |= (set >> i & 1) != 0 ? group[i] : 0;
    for (size_t i = 0; i < players; ++i) {
      if ((joined >> i & 1) != 0) group[i] = joined;
    }
  }
  return group;
}

}  // namespace

BalancedGroups balanced_groups(std::span<const double> attribution, std::span<const double> effects,
                               double negligible) {
  require(effects.size() == size_t{1} << attribution.size(), "attribution", "does not fit the effects");
  const std::vector<uint64_t> group = groups_of(attribution.size(), effects, negligible);
  std::vector<double> within(effects.begin(), effects.end());
  within[0] = 0;
  zeta_transform(within);
  BalancedGroups answer;
  for (size_t i = 0; i < attribution.size(); ++i) {
    if (std::countr_zero(group[i]) != static_cast<int>(i)) continue;  // each group once, at its first player
    BalancedGroup one{group[i], 0, within[group[i]]};
    for (size_t j = i; j < attribution.size(); ++j) one.got += (group[i] >> j & 1) != 0 ? attribution[j] : 0;
    answer.distance += std::abs(one.missing());
    answer.groups.push_back(one);
  }
  std::stable_sort(answer.groups.begin(), answer.groups.end(), [](const BalancedGroup& a, const BalancedGroup& b) {
    return std::abs(a.missing()) > std::abs(b.missing());
  });
  return answer;
}

FeasibleAllocation feasible_allocation(std::span<const double> attribution, std::span<const double> effects) {
  require(effects.size() == size_t{1} << attribution.size(), "attribution", "does not fit the effects");
  const size_t all = effects.size() - 1;
  const std::vector<double> least = least_of_sets(effects), got = sums_of_players(attribution, effects.size());
  FeasibleAllocation answer;
  answer.distance = -1;
  for (size_t set = 0; set <= all; ++set) {
    const double distance = 2 * (least[set] - got[set]) + got[all] - least[all];
    if (distance <= answer.distance) continue;
    answer.distance = distance;
    answer.short_players = set;
  }
  answer.distance = std::max(answer.distance, 0.0);
  answer.got = got[answer.short_players];
  answer.least = least[answer.short_players];
  answer.rest_got = got[all] - answer.got;
  answer.rest_most = least[all] - answer.least;
  for (size_t i = 0; i < attribution.size(); ++i) {
    answer.least_of.push_back(least[size_t{1} << i]);
    answer.most_of.push_back(least[all] - least[all ^ (size_t{1} << i)]);
  }
  return answer;
}

std::vector<int> dummy_players(std::span<const double> effects, double tolerance) {
  std::vector<double> v(effects.begin(), effects.end());
  zeta_transform(v);
  std::vector<int> dummies;
  for (int i = 0; size_t{1} << i < v.size(); ++i) {
    const size_t bit = size_t{1} << i;
    double largest = 0;
    for (size_t set = 0; set < v.size(); ++set) {
      if ((set & bit) == 0) largest = std::max(largest, std::abs(v[set | bit] - v[set]));
    }
    if (largest <= tolerance) dummies.push_back(i);
  }
  return dummies;
}

}  // namespace ascribe::core
