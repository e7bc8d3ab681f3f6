// Complexity (Bhatt, Weller and Moura, 2020, definition 4): the entropy of the shares of the absolute values.
//   - sum over p of s_p ln s_p,   s_p = |a_p| / sum of |a|
#include <cmath>
#include <numeric>

#include "metrics/metric.h"
#include "metrics/statistics.h"

namespace ascribe::core::metric_complexity {

namespace {

Score entropy(const Attribution& attribution) {
  const std::vector<double> sizes = absolute_values(attribution.values);
  const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (sum == 0) return undefined_score("all values are zero");
  double result = 0;
  for (const double size : sizes) {
    const double share = size / sum;
    if (share > 0) result -= share * std::log(share);
  }
  return {result};
}

Scores score_complexity(const MetricInput& input) {
  Scores scores;
  for (const MethodExplanations& one : input.methods) {
    std::vector<Score>& of_method = scores.emplace_back();
    for (const Attribution& attribution : one.attributions) of_method.push_back(entropy(attribution));
  }
  return scores;
}

const RegisterMetric registered({
    .name = "complexity",
    .title = "Complexity",
    .category = MetricCategory::complexity,
    .better = Better::lower,
    .formula = "-sum of s ln s, s = |a| / sum of |a|",
    .source = "Bhatt, Weller, Moura 2020",
    .about = "The entropy, in nats, of the players' shares of the attribution: 0 if one player has everything, ln m if "
             "all m players have the same. exp of it is how many players an equally spread attribution would name.",
    .cost = "none: the network is not run",
    .limits = "Says nothing about whether the values are right. Depends on the players: compare with the same ones.",
    .score = score_complexity,
});

}  // namespace

}  // namespace ascribe::core::metric_complexity
