// Infidelity (Yeh et al., 2019, definition 2.1), perturbed by square removal:
//   mean over squares of ( p'a - (f(x) - f(x - p)) )^2,   p = x - b on the square, 0 elsewhere
// Scale: contributions are already multiplied by the input, so the 0/1 indicator of the square replaces p in p'a, and
// only there. Slopes keep p. Several baselines: both terms are means over them.
#include "metrics/square_removal.h"

namespace ascribe::core::metric_infidelity {

namespace {

Scores score_infidelity(const MetricInput& input) {
  return question_by_question(input, [&](size_t q) {
    const SquareLosses squares = square_losses(input, q);
    std::vector<Score> scores;
    for (size_t m = 0; m < input.methods.size(); ++m) scores.push_back({mean_squared_miss(squares, m, 1)});
    return scores;
  });
}

const RegisterMetric registered({
    .name = "infidelity",
    .title = "Infidelity",
    .category = MetricCategory::faithfulness,
    .better = Better::lower,
    .formula = "mean over squares of (sum of a in the square - (f(x) - f(x with the square at b)))^2",
    .source = "Yeh, Hsieh, Suggala, Inouye, Ravikumar 2019",
    .about = "Squares of pixels at random places are replaced by the baseline, and the attribution has to say by how "
             "much the output falls. Contributions are summed over the square as they are; slopes are multiplied by "
             "x - b first. A player of several pixels has its value in equal parts at each. Where there are no more "
             "places than perturbations, each place counts once and the mean is exact. Rows that are not images lose "
             "random sets of players instead. In units of the output, squared.",
    .cost = "one forward pass per distinct square and baseline, shared by all methods",
    .limits = "Depends on the scale of the output and on the size of the squares: compare methods on one network, not "
              "networks. An attribution that is right up to a factor is penalised; infidelity_scaled forgives that.",
    .parameters = square_removal_parameters(),
    .score = score_infidelity,
});

}  // namespace

}  // namespace ascribe::core::metric_infidelity
