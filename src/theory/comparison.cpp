#include "theory/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "game/subsets.h"

namespace ascribe::core {

namespace {

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Collects the shares of sets by pairs of players.
class Pairs {
 public:
  explicit Pairs(int players) : players_(players), shares_(static_cast<size_t>(players * players), 0.0) {}

  void add(uint64_t set, double share) {
    const std::vector<int> members = members_of(set);
    if (members.size() == 1) at(members[0], members[0]) += share;
    const double part = members.size() < 2 ? 0 : share / binomial(static_cast<int>(members.size()), 2);
    for (size_t i = 0; i < members.size(); ++i) {
      for (size_t j = i + 1; j < members.size(); ++j) at(members[i], members[j]) += part;
    }
  }

  std::vector<PairDifference> largest_first() {
    std::vector<PairDifference> pairs;
    for (int i = 0; i < players_; ++i) {
      for (int j = i; j < players_; ++j) pairs.push_back({i, j, at(i, j)});
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const PairDifference& a, const PairDifference& b) {
      return std::abs(a.share) > std::abs(b.share);
    });
    return pairs;
  }

 private:
  double& at(int i, int j) {
    return shares_[static_cast<size_t>(i) * static_cast<size_t>(players_) + static_cast<size_t>(j)];
  }

  int players_;
  std::vector<double> shares_;
};

}  // namespace

Comparison compare_values(std::vector<double> first, std::vector<double> second) {
  require(first.size() == second.size(), "compare", "the attributions are of different players");
  Comparison result;
  for (size_t p = 0; p < first.size(); ++p) result.difference += std::abs(first[p] - second[p]);
  const double sizes = std::sqrt(product(first, first) * product(second, second));
  result.correlation = sizes > 0 ? product(first, second) / sizes : 0;
  result.first = std::move(first);
  result.second = std::move(second);
  return result;
}

Comparison compare_allocations(const SetAllocation& first, const SetAllocation& second) {
  require(first.players == second.players, "compare", "the allocations are of different players");
  Comparison result = compare_values(first.attribution(), second.attribution());
  std::vector<double> difference;
  for (size_t p = 0; p < result.first.size(); ++p) difference.push_back(result.first[p] - result.second[p]);
  const double squares = product(difference, difference);
  result.share_by_size.assign(static_cast<size_t>(first.players) + 1, 0.0);
  Pairs pairs(first.players);
  for (uint64_t set = 0; set < first.sets(); ++set) {
    SetDifference one{set, set == 0 ? 0 : first.effects[set], 0, {}, {}};
    double along = 0;
    for (int p = 0; p < first.players; ++p) {
      one.first.push_back(first(p, set));
      one.second.push_back(second(p, set));
      along += (first(p, set) - second(p, set)) * difference[static_cast<size_t>(p)];
    }
    one.share = squares > 0 ? along / squares : 0;
    pairs.add(set, one.share);
    result.share_by_size[static_cast<size_t>(std::popcount(set))] += one.share;
    result.sets.push_back(std::move(one));
  }
  result.pairs = pairs.largest_first();
  for (const double share : result.share_by_size) {
    result.largest_size_share = std::max(result.largest_size_share, std::abs(share));
  }
  std::stable_sort(result.sets.begin(), result.sets.end(), [](const SetDifference& a, const SetDifference& b) {
    return std::abs(a.share) > std::abs(b.share);
  });
  return result;
}

}  // namespace ascribe::core
