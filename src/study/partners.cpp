#include "study/partners.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "metrics/statistics.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kBins = 10;
constexpr size_t kFewestRows = 8;  // of which a correlation says something

// What is left of the attributions when the mean of the rows with like values is taken away. Rows of the same value are
// always in the same bin.
std::vector<double> beyond_own_value(std::span<const double> values, std::span<const double> attributions) {
  const size_t count = values.size(), bins = std::min(kBins, std::max<size_t>(1, count / 4));
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> left(count, 0.0);
  for (size_t from = 0; from < count;) {
    size_t to = std::min(count, from + (count + bins - 1) / bins);
    while (to < count && values[order[to]] == values[order[to - 1]]) ++to;
    double sum = 0;
    for (size_t i = from; i < to; ++i) sum += attributions[order[i]];
    const double mean = sum / static_cast<double>(to - from);
    for (size_t i = from; i < to; ++i) left[order[i]] = attributions[order[i]] - mean;
    from = to;
  }
  return left;
}

}  // namespace

std::vector<double> joint_strengths(const Dividends& dividends) {
  const auto players = static_cast<size_t>(dividends.players);
  std::vector<double> joint(players * players, 0.0);
  for (size_t set = 0; set < dividends.values.size(); ++set) {
    const int size = std::popcount(set);
    if (size < 2) continue;
    const double share = dividends.values[set] / (size - 1);
    for (size_t i = 0; i < players; ++i) {
      if ((set >> i & 1) == 0) continue;
      for (size_t j = i + 1; j < players; ++j) {
        if ((set >> j & 1) == 0) continue;
        joint[i * players + j] += share;
        joint[j * players + i] += share;
      }
    }
  }
  return joint;
}

std::optional<PartnerByValues> partner_by_values(size_t feature, std::span<const std::vector<double>> values,
                                                 std::span<const double> attributions) {
  if (attributions.size() < kFewestRows || values[feature].empty()) return std::nullopt;
  const std::vector<double> left = beyond_own_value(values[feature], attributions);
  double size = 0;
  for (const double value : attributions) size = std::max(size, std::abs(value));
  if (!varies(left, 1e-9 * size)) return std::nullopt;
  std::optional<PartnerByValues> best;
  for (size_t other = 0; other < values.size(); ++other) {
    if (other == feature || values[other].empty()) continue;
    const auto correlation = rank_correlation(left, values[other]);
    if (correlation && (!best || std::abs(*correlation) > std::abs(best->correlation))) best = {other, *correlation};
  }
  return best;
}

}  // namespace ascribe::core::study
