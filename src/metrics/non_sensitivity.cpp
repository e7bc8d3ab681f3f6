// Non-sensitivity (Nguyen and Martinez, 2020, definition 2.3): players of whom attribution and network disagree whether
// they matter at all.
//   |A0 xor X0| / players,   A0: a_p = 0,   X0: f(x) = f(x with p at b)
#include <algorithm>
#include <cmath>

#include "metrics/losses.h"
#include "metrics/statistics.h"

namespace ascribe::core::metric_non_sensitivity {

namespace {

// The size up to which a number counts as zero.
double zero_of(const std::vector<double>& values, double tolerance) {
  return tolerance * *std::max_element(values.begin(), values.end());
}

std::vector<Score> non_sensitivity(const MetricInput& input, size_t q) {
  const Question& question = input.questions[q];
  const double tolerance = input.parameters.real("tolerance");
  std::vector<PlayerSet> singles;
  for (int64_t p = 0; p < question.players.count(); ++p) singles.push_back({p});
  const std::vector<double> lost = absolute_values(lost_without(input.model, question, singles));
  std::vector<Score> scores;
  for (const MethodExplanations& one : input.methods) {
    const Attribution& attribution = one.attributions[q];
    const std::vector<double> values = absolute_values(attribution.values);
    const double no_value = zero_of(values, tolerance);
    const double no_loss = std::max(zero_of(lost, tolerance), rounding_of(input.model, std::abs(attribution.output)));
    double disagree = 0;
    for (size_t p = 0; p < values.size(); ++p) disagree += (values[p] <= no_value) != (lost[p] <= no_loss) ? 1 : 0;
    scores.push_back({disagree / static_cast<double>(values.size())});
  }
  return scores;
}

Scores score_non_sensitivity(const MetricInput& input) {
  return question_by_question(input, [&](size_t q) { return non_sensitivity(input, q); });
}

const RegisterMetric registered({
    .name = "non_sensitivity",
    .title = "Non-sensitivity",
    .category = MetricCategory::faithfulness,
    .better = Better::lower,
    .formula = "share of players with a = 0 whose removal changes f, or with a not 0 whose removal does not",
    .source = "Nguyen, Martinez 2020",
    .about =
        "The share of players for which attribution and network disagree about whether they matter at all. A player "
        "matters to the network if f changes when it alone goes to the baseline; the source draws other values for it "
        "instead, and gives the number of players where this is their share. Numbers up to `tolerance` of the largest "
        "of their kind count as zero, and so do changes that rounding explains.",
    .cost = "one forward pass per player and baseline, shared by all methods",
    .limits = "How much a player matters does not count. A player that is at its baseline already cannot matter here, "
              "but its slope may well differ from zero.",
    .parameters = {real_parameter("tolerance", 1e-5, 0, 1, "what counts as zero, relative to the largest")},
    .score = score_non_sensitivity,
});

}  // namespace

}  // namespace ascribe::core::metric_non_sensitivity
