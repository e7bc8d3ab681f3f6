// Infidelity of the attribution times its best factor (Yeh et al., 2019, section 2.1), perturbed by square removal:
//   min over beta of  mean of ( beta p'a - (f(x) - f(x - p)) )^2,   beta = mean(p'a d) / mean((p'a)^2), d the change
#include "metrics/square_removal.h"

namespace ascribe::core::metric_infidelity_scaled {

namespace {

Scores score_infidelity_scaled(const MetricInput& input) {
  return question_by_question(input, [&](size_t q) {
    const SquareLosses squares = square_losses(input, q);
    std::vector<Score> scores;
    for (size_t m = 0; m < input.methods.size(); ++m) {
      scores.push_back({mean_squared_miss(squares, m, best_factor(squares, m))});
    }
    return scores;
  });
}

const RegisterMetric registered({
    .name = "infidelity_scaled",
    .title = "Infidelity, optimally scaled",
    .category = MetricCategory::faithfulness,
    .better = Better::lower,
    .formula = "min over beta of the mean of (beta sum of a in the square - (f(x) - f(x with the square at b)))^2",
    .source = "Yeh, Hsieh, Suggala, Inouye, Ravikumar 2019",
    .about =
        "Infidelity of the attribution times the factor that suits it best, found for each row by itself. The same "
        "squares, conventions and units as infidelity. It is never above infidelity, and never above the mean "
        "squared change of the output, which an attribution of zeros gets.",
    .cost = "one forward pass per distinct square and baseline, shared by all methods",
    .limits = "A negative factor is allowed: an attribution of the wrong sign scores as well as one of the right sign. "
              "Depends on the scale of the output.",
    .parameters = square_removal_parameters(),
    .score = score_infidelity_scaled,
});

}  // namespace

}  // namespace ascribe::core::metric_infidelity_scaled
