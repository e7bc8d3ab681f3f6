#include "metrics/summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/random.h"
#include "base/watch.h"

namespace ascribe::core {

namespace {

constexpr uint64_t kStream = 0x626f6f7473747261;  // of the draws here, apart from those of methods and metrics
constexpr double kTail = 0.025;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Of sorted values, between neighbours in proportion.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double standard_error(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

Summary without_interval(const std::vector<double>& values) {
  Summary summary;
  summary.count = std::ssize(values);
  if (values.empty()) return summary;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  summary.mean = mean_of(values);
  summary.median = quantile(sorted, 0.5);
  if (values.size() > 1) summary.standard_error = standard_error(values, summary.mean);
  return summary;
}

// The means of lists of `count` values under the same draws: [list][resample].
std::vector<std::vector<double>> resampled_means(const std::vector<const std::vector<double>*>& lists, size_t count,
                                                 uint64_t seed) {
  const Random random(seed, kStream);
  std::vector<std::vector<double>> means(lists.size());
  std::vector<size_t> drawn(count);
  for (int64_t r = 0; r < kBootstrapResamples; ++r) {
    poll();
    for (size_t i = 0; i < count; ++i) drawn[i] = random.below(static_cast<uint64_t>(r) * count + i, count);
    for (size_t l = 0; l < lists.size(); ++l) {
      double sum = 0;
      for (const size_t i : drawn) sum += (*lists[l])[i];
      means[l].push_back(sum / static_cast<double>(count));
    }
  }
  return means;
}

}  // namespace

std::vector<Summary> summarize(std::span<const std::vector<double>> lists, uint64_t seed) {
  std::vector<Summary> summaries;
  std::map<size_t, std::vector<size_t>> by_count;
  for (size_t l = 0; l < lists.size(); ++l) {
    summaries.push_back(without_interval(lists[l]));
    if (lists[l].size() > 1) by_count[lists[l].size()].push_back(l);
  }
  for (const auto& [count, places] : by_count) {
    std::vector<const std::vector<double>*> alike;
    for (const size_t place : places) alike.push_back(&lists[place]);
    std::vector<std::vector<double>> means = resampled_means(alike, count, seed);
    for (size_t i = 0; i < places.size(); ++i) {
      std::sort(means[i].begin(), means[i].end());
      summaries[places[i]].low = quantile(means[i], kTail);
      summaries[places[i]].high = quantile(means[i], 1 - kTail);
    }
  }
  return summaries;
}

}  // namespace ascribe::core
