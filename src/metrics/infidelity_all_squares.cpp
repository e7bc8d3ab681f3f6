// Infidelity as its source measures it (Yeh et al., 2019, section 5 and its published code): every square of every side
// from 1 to 10 pixels is put at the baseline once, and the attribution is scaled by its best factor on each row:
//   min over beta of  mean over squares of ( beta p'a - (f(x) - f(x - p)) )^2
#include "metrics/square_removal.h"

namespace ascribe::core::metric_infidelity_all_squares {

namespace {

std::vector<Parameter> parameters() {
  std::vector<Parameter> all = all_squares_parameters();
  all.push_back(text_parameter("scale", "optimal", "the attribution times its best factor on each row, or as it is",
                               {"optimal", "none"}));
  return all;
}

Scores score_infidelity_all_squares(const MetricInput& input) {
  const bool scaled = input.parameters.text("scale") == "optimal";
  return question_by_question(input, [&](size_t q) {
    const SquareLosses squares = all_square_losses(input, q);
    std::vector<Score> scores;
    for (size_t m = 0; m < input.methods.size(); ++m) {
      scores.push_back({mean_squared_miss(squares, m, scaled ? best_factor(squares, m) : 1)});
    }
    return scores;
  });
}

const RegisterMetric registered({
    .name = "infidelity_all_squares",
    .title = "Infidelity over all squares",
    .category = MetricCategory::faithfulness,
    .better = Better::lower,
    .formula = "min over beta of the mean, over all squares of sides 1 to 10, of (beta sum of a in the square - (f(x) "
               "- f(x with the square at b)))^2",
    .source = "Yeh, Hsieh, Suggala, Inouye, Ravikumar 2019, and their published code",
    .about = "Infidelity by square removal as its authors measure it: every square of 1 x 1 to 10 x 10 pixels is "
             "replaced by the baseline once, 5605 of them in an image of 28 x 28, and all count alike. The attribution "
             "is multiplied by the factor that suits it best, found for each row by itself. Conventions and units are "
             "those of infidelity; nothing is drawn. Small squares are many, so that effects of few pixels weigh more "
             "than in infidelity, whose squares all have a quarter of the image's side.",
    .cost = "one forward pass per square and baseline, shared by all methods",
    .limits = "A negative factor is allowed, as in infidelity_scaled. Depends on the scale of the output, and on the "
              "range of sides: compare methods on one network. Images of 224 x 224 pixels have 482 000 such squares: "
              "take a stride.",
    .images = true,
    .parameters = parameters(),
    .score = score_infidelity_all_squares,
});

}  // namespace

}  // namespace ascribe::core::metric_infidelity_all_squares
