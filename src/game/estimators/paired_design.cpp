#include "game/estimators/paired_design.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/random.h"
#include "game/coalition_plan.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kDrawnMembers = 11, kCounts = 12, kChoice = 13, kOrder = 14;  // streams of random numbers
constexpr int64_t kPairsAtOnce = 1 << 14;                                        // pairs that are asked for at once
using PlayerList = std::vector<int64_t>;

// Pairs whose smaller set has `size` members; of two halves the one with player 0.
double pairs_of_size(int64_t players, int64_t size) {
  const double sets = binomial(static_cast<int>(players), static_cast<int>(size));
  return 2 * size == players ? sets / 2 : sets;
}

// How many pairs of each size, 1 to n / 2: a share for each size of both sets, as far as they go.
std::vector<double> shares(int64_t players, double pairs) {
  const auto sizes = static_cast<size_t>(players / 2);
  std::vector<double> share(sizes, 0.0);
  std::vector<bool> open(sizes, true);
  for (;;) {
    double left = pairs, weight = 0;
    for (size_t i = 0; i < sizes; ++i) {
      const auto size = static_cast<int64_t>(i) + 1;
      if (open[i]) weight += 2 * size == players ? 1 : 2;
      else left -= share[i];
    }
    bool changed = false;
    for (size_t i = 0; i < sizes && weight > 0; ++i) {
      const auto size = static_cast<int64_t>(i) + 1;
      const double all = pairs_of_size(players, size);
      if (!open[i]) continue;
      share[i] = left * (2 * size == players ? 1 : 2) / weight;
      if (share[i] < all) continue;
      share[i] = all;
      open[i] = false;
      changed = true;
    }
    if (!changed) return share;
  }
}

// Whole numbers with these means and the same sum, up to one.
std::vector<int64_t> rounded(const std::vector<double>& share, uint64_t seed) {
  std::vector<int64_t> counts;
  const double offset = Random(seed, kCounts).uniform(0);
  double sum = 0;
  for (const double one : share) {
    const double before = std::floor(sum + offset);
    sum += one;
    counts.push_back(static_cast<int64_t>(std::floor(sum + offset) - before));
  }
  return counts;
}

// The next set of so many members in the order of their members; false: there is none.
bool advance(PlayerList& set, int64_t players) {
  const auto size = std::ssize(set);
  for (int64_t i = size - 1; i >= 0; --i) {
    if (set[static_cast<size_t>(i)] == players - size + i) continue;
    ++set[static_cast<size_t>(i)];
    for (auto j = static_cast<size_t>(i) + 1; j < set.size(); ++j) set[j] = set[j - 1] + 1;
    return true;
  }
  return false;
}

void add_of_size(PairedDesign& design, int64_t size, int64_t count, uint64_t seed) {
  const int64_t n = design.players;
  const bool halves = 2 * size == n;
  if (pairs_of_size(n, size) <= 2 * static_cast<double>(count)) {  // all of them, then some
    std::vector<PlayerList> all;
    PlayerList set(static_cast<size_t>(size));
    std::iota(set.begin(), set.end(), int64_t{0});
    do {
      if (!halves || set[0] == 0) all.push_back(set);
    } while (advance(set, n));
    const std::vector<int64_t> order = Random(seed, kChoice).permutation(static_cast<uint64_t>(size), std::ssize(all));
    for (int64_t i = 0; i < std::min(count, std::ssize(all)); ++i) {
      design.sets.push_back(all[static_cast<size_t>(order[static_cast<size_t>(i)])]);
    }
    return;
  }
  std::set<PlayerList> seen;
  const Random random(seed, kDrawnMembers + (static_cast<uint64_t>(size) << 8));
  for (uint64_t draw = 0; std::ssize(seen) < count; ++draw) {
    const std::vector<int64_t> order = random.permutation(draw, n);
    const bool first = std::find(order.begin(), order.begin() + size, 0) != order.begin() + size;
    PlayerList set = halves && !first ? PlayerList(order.begin() + size, order.end())
                                      : PlayerList(order.begin(), order.begin() + size);
    std::sort(set.begin(), set.end());
    if (seen.insert(set).second) design.sets.push_back(std::move(set));
  }
}

}  // namespace

PairedDesign paired_design(int64_t players, int64_t pairs, uint64_t seed) {
  PairedDesign design{players, {}, {}};
  const std::vector<double> share = shares(players, static_cast<double>(pairs));
  const std::vector<int64_t> counts = rounded(share, seed);
  for (size_t i = 0; i < counts.size(); ++i) add_of_size(design, static_cast<int64_t>(i) + 1, counts[i], seed);
  const auto total = std::ssize(design.sets);
  std::vector<PlayerList> mixed;
  for (const int64_t place : Random(seed, kOrder).permutation(0, total)) {
    mixed.push_back(std::move(design.sets[static_cast<size_t>(place)]));
  }
  design.sets = std::move(mixed);
  for (const PlayerList& set : design.sets) {
    const auto size = std::ssize(set);
    const double kernel = (2 * size == players ? 1.0 : 2.0) / static_cast<double>(size * (players - size));
    design.weights.push_back(kernel / share[set.size() - 1]);
  }
  return design;
}

PairedValues values_at(Game& game, const PairedDesign& design, const Progress& progress) {
  PairedValues result;
  const int64_t n = design.players, pairs = std::ssize(design.sets);
  const std::vector<uint64_t> all = everyone(n);
  for (int64_t first = 0; first < std::max<int64_t>(pairs, 1); first += kPairsAtOnce) {
    const int64_t count = std::min(kPairsAtOnce, pairs - first);
    Coalitions sets(n);
    if (first == 0) {
      sets.add(std::span<const uint64_t>(all));
      sets.add(std::span<const int64_t>());
    }
    for (int64_t i = first; i < first + count; ++i) {
      sets.add(std::span<const int64_t>(design.sets[static_cast<size_t>(i)]));
      std::vector<uint64_t> others = all;
      for (const int64_t p : design.sets[static_cast<size_t>(i)]) {
        others[static_cast<size_t>(p / 64)] ^= uint64_t{1} << (p % 64);
      }
      sets.add(std::span<const uint64_t>(others));
    }
    const std::vector<double> v = game.values(sets);
    size_t at = 0;
    if (first == 0) result.full = v[at++], result.empty = v[at++];
    for (; at + 1 < v.size(); at += 2) {
      result.inside.push_back(v[at] - result.empty);
      result.outside.push_back(v[at + 1] - result.empty);
    }
    report(progress, "coalitions", 2 * (first + count), 2 * pairs);
  }
  return result;
}

}  // namespace ascribe::core
