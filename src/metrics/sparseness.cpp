// Sparseness (Chalasani et al., 2020, section 4): the Gini index of the absolute values.
//   sum over k of (2 k - m - 1) |a|_(k)  /  (m sum of |a|),   |a|_(k) the k-th smallest of m
#include <algorithm>
#include <numeric>

#include "metrics/metric.h"
#include "metrics/statistics.h"

namespace ascribe::core::metric_sparseness {

namespace {

Score gini(const Attribution& attribution) {
  std::vector<double> sizes = absolute_values(attribution.values);
  std::sort(sizes.begin(), sizes.end());
  const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (sum == 0) return undefined_score("all values are zero");
  const auto m = static_cast<double>(sizes.size());
  double index = 0;
  for (size_t k = 0; k < sizes.size(); ++k) index += (2 * static_cast<double>(k + 1) - m - 1) * (sizes[k] / sum) / m;
  return {index};
}

Scores score_sparseness(const MetricInput& input) {
  Scores scores;
  for (const MethodExplanations& one : input.methods) {
    std::vector<Score>& of_method = scores.emplace_back();
    for (const Attribution& attribution : one.attributions) of_method.push_back(gini(attribution));
  }
  return scores;
}

const RegisterMetric registered({
    .name = "sparseness",
    .title = "Sparseness",
    .category = MetricCategory::complexity,
    .better = Better::higher,
    .formula = "Gini index of |a|",
    .source = "Chalasani, Chen, Chowdhury, Wu, Jha 2020",
    .about =
        "How unevenly the sizes of the players' values are spread: 0 if all are equal, 1 - 1/m if one of m players "
        "has everything.",
    .cost = "none: the network is not run",
    .limits = "Says nothing about whether the values are right. Depends on the players: compare with the same ones.",
    .score = score_sparseness,
});

}  // namespace

}  // namespace ascribe::core::metric_sparseness
