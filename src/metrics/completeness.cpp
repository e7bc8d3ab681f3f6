// Completeness: how far the values miss what they are to sum up to (Sundararajan et al., 2017).
//   | total - sum of a | / | total |,   total = f(x) - f(b), or f(x) for the LRP family
#include <cmath>

#include "metrics/metric.h"

namespace ascribe::core::metric_completeness {

namespace {

Score completeness(const MethodExplanations& one, size_t question) {
  const Attribution& a = one.attributions[question];
  const double total = a.sum() + a.residual;
  if (total == 0) return undefined_score("the output does not differ from the one at the baseline");
  return {std::abs(a.residual / total)};
}

Scores score_completeness(const MetricInput& input) {
  Scores scores;
  for (const MethodExplanations& one : input.methods) {
    std::vector<Score>& of_method = scores.emplace_back();
    for (size_t q = 0; q < input.questions.size(); ++q) of_method.push_back(completeness(one, q));
  }
  return scores;
}

const RegisterMetric registered({
    .name = "completeness",
    .title = "Completeness error",
    .category = MetricCategory::axioms,
    .better = Better::lower,
    .formula = "|total - sum of a| / |total|",
    .source = "Sundararajan, Taly, Yan 2017",
    .about = "How far the values miss the number that they are to share out: f(x) - f(b), or f(x) for the LRP family. "
             "0.05 means that 5 % of it is missing or too much.",
    .cost = "none: the attribution knows its residual",
    .limits = "A method can be complete and yet give everything to the wrong players.",
    .slopes = false,
    .score = score_completeness,
});

}  // namespace

}  // namespace ascribe::core::metric_completeness
