#include "metrics/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"

namespace ascribe::core {

namespace {

constexpr double kRounding = 1e-12;  // of the largest: some thousand terms in double

std::vector<double> centred(std::span<const double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value -= mean;
  return result;
}

}  // namespace

bool varies(std::span<const double> values, double noise) {
  if (values.empty()) return false;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least > std::max(noise, kRounding * std::max(std::abs(*least), std::abs(*most)));
}

std::optional<double> pearson_correlation(std::span<const double> a, std::span<const double> b) {
  require(a.size() == b.size(), "correlation", "lists of the same length");
  if (!varies(a) || !varies(b)) return std::nullopt;
  std::vector<double> from_a = centred(a), from_b = centred(b);
  // Scaled before they are multiplied, so that products of small numbers do not vanish.
  const double norm_a = norm_of(from_a), norm_b = norm_of(from_b);
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (from_a[i] / norm_a) * (from_b[i] / norm_b);
  return std::clamp(sum, -1.0, 1.0);
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  return pearson_correlation(ranks_of(a), ranks_of(b));
}

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (size_t i = first; i < end; ++i) ranks[order[i]] = static_cast<double>(first + 1 + end) / 2;
  }
  return ranks;
}

std::vector<double> chance_among_highest(std::span<const double> values, int64_t count) {
  require(count >= 0 && count <= std::ssize(values), "ranking", "as many values as there are");
  std::vector<double> chances(values.size(), 0.0);
  if (count == 0) return chances;
  std::vector<double> sorted(values.begin(), values.end());
  std::nth_element(sorted.begin(), sorted.begin() + (count - 1), sorted.end(), std::greater<>());
  const double border = sorted[static_cast<size_t>(count - 1)];
  const auto above = std::count_if(values.begin(), values.end(), [&](double v) { return v > border; });
  const auto ties = std::count(values.begin(), values.end(), border);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] > border) chances[i] = 1;
    if (values[i] == border) chances[i] = static_cast<double>(count - above) / static_cast<double>(ties);
  }
  return chances;
}

std::vector<double> absolute_values(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value = std::abs(value);
  return result;
}

double norm_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 0;
  double sum = 0;
  for (const double value : values) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum);
}

}  // namespace ascribe::core
