// Infidelity of the attribution times its best factor (Yeh et al., 2019, section 2.1), perturbed by square removal:
//   min over beta of  mean of ( beta p'a - (f(x) - f(x - p)) )^2,   beta = mean(p'a d) / mean((p'a)^2), d the change
#include "metrics/square_removal.h"

namespace ascribe::core::metric_infidelity_scaled {

namespace {

double best_factor(const SquareLosses& squares, size_t method) {
  double mixed = 0, square = 0;
  for (size_t s = 0; s < squares.lost.size(); ++s) {
    const double claimed = squares.claimed[method][s];
    mixed += squares.weights[s] * claimed * squares.lost[s];
    square += squares.weights[s] * claimed * claimed;
  }
  return square > 0 ? mixed / square : 0;  // nothing claimed: no factor helps
}

Score scaled_infidelity(const SquareLosses& squares, size_t method) {
  const double beta = best_factor(squares, method);
  double sum = 0;
  for (size_t s = 0; s < squares.lost.size(); ++s) {
    const double error = beta * squares.claimed[method][s] - squares.lost[s];
    sum += squares.weights[s] * error * error;
  }
  return {sum};
}

Scores score_infidelity_scaled(const MetricInput& input) {
  return question_by_question(input, [&](size_t q) {
    const SquareLosses squares = square_losses(input, q);
    std::vector<Score> scores;
    for (size_t m = 0; m < input.methods.size(); ++m) scores.push_back(scaled_infidelity(squares, m));
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
