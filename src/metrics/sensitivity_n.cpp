// Sensitivity-n (Ancona et al., 2018, section 3.2): for sets of n players, the correlation of
//   sum over S of a_p   and   f(x) - f(x with S at b)
// over random sets S. An attribution with sensitivity-n for all n is exact; only additive functions have one. Without a
// given n: the mean over ten sizes from 1 to 80 % of the players, evenly spaced in their logarithm.
#include <algorithm>
#include <cmath>

#include "metrics/draws.h"
#include "metrics/player_sets.h"
#include "metrics/set_correlation.h"

namespace ascribe::core::metric_sensitivity_n {

namespace {

constexpr const char* kName = "sensitivity_n";
constexpr int64_t kSizes = 10;
constexpr double kLargestShare = 0.8;

std::vector<int64_t> sizes_of(double given, int64_t players) {
  if (given > 0) return {set_size(kName, given, players)};
  const double largest = std::max(1.0, kLargestShare * static_cast<double>(players));
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < kSizes; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(kSizes - 1);
    sizes.push_back(std::llround(std::floor(std::pow(largest, share) + 1e-9)));
  }
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// The mean over the sizes at which there is a correlation; the first reason if there is none at all.
Score mean_of_curve(Score curve, const std::string& reason) {
  if (curve.curve.empty()) return undefined_score(reason);
  curve.value = 0;
  for (const double value : curve.curve) curve.value += value / static_cast<double>(curve.curve.size());
  return curve;
}

std::vector<Score> sensitivity_n(const MetricInput& input, size_t q) {
  const int64_t players = input.questions[q].players.count(), subsets = input.parameters.integer("subsets");
  const Random random = draws_of(input, q, kName);
  const size_t methods = input.methods.size();
  std::vector<Score> curves(methods);
  std::vector<std::string> reasons(methods);
  uint64_t first = 0;
  for (const int64_t size : sizes_of(input.parameters.real("n"), players)) {
    const std::vector<Score> scores = set_correlations(input, q, random, first, size, subsets);
    first += static_cast<uint64_t>(subsets);
    for (size_t m = 0; m < methods; ++m) {
      if (scores[m].defined()) {
        curves[m].positions.push_back(static_cast<double>(size) / static_cast<double>(players));
        curves[m].curve.push_back(scores[m].value);
      } else if (reasons[m].empty()) {
        reasons[m] = scores[m].undefined;
      }
    }
  }
  for (size_t m = 0; m < methods; ++m) curves[m] = mean_of_curve(std::move(curves[m]), reasons[m]);
  return curves;
}

Scores score_sensitivity_n(const MetricInput& input) {
  return question_by_question(input, [&](size_t q) { return sensitivity_n(input, q); });
}

const RegisterMetric registered({
    .name = kName,
    .title = "Sensitivity-n",
    .category = MetricCategory::faithfulness,
    .better = Better::higher,
    .formula = "correlation over random sets S of n players of: sum over S of a, f(x) - f(x with S at b)",
    .source = "Ancona, Ceolini, Oeztireli, Gross 2018",
    .about = "Random sets of n players go to the baseline. The score is Pearson's correlation, from -1 to 1, between "
             "what the attribution says of them and what the output loses. Without a given n it is the mean over ten "
             "sizes from one player to 80 % of them, evenly spaced in their logarithm, and the curve shows each; sizes "
             "at which nothing varies are left out. Slopes are multiplied by x - b first.",
    .cost = "one forward pass per set, size and baseline, shared by all methods",
    .limits =
        "Blind to the scale and to a constant offset of the attribution. No attribution is perfect for a function "
        "that is not additive.",
    .parameters = {real_parameter("n", 0, 0, 1e9, "players in a set; below 1: as a share of all; 0: ten sizes"),
                   integer_parameter("subsets", 100, 2, 1 << 24, "random sets of each size")},
    .score = score_sensitivity_n,
});

}  // namespace

}  // namespace ascribe::core::metric_sensitivity_n
