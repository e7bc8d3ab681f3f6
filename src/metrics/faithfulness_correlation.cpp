// Faithfulness correlation (Bhatt, Weller and Moura, 2020, definition 1):
//   correlation over random sets S of a fixed size of  sum over S of a_p  and  f(x) - f(x with S at b)
#include "metrics/draws.h"
#include "metrics/player_sets.h"
#include "metrics/set_correlation.h"

namespace ascribe::core::metric_faithfulness_correlation {

namespace {

constexpr const char* kName = "faithfulness_correlation";

Scores score_faithfulness_correlation(const MetricInput& input) {
  return question_by_question(input, [&](size_t q) {
    const int64_t size = set_size(kName, input.parameters.real("size"), input.questions[q].players.count());
    return set_correlations(input, q, draws_of(input, q, kName), 0, size, input.parameters.integer("subsets"));
  });
}

const RegisterMetric registered({
    .name = kName,
    .title = "Faithfulness correlation",
    .category = MetricCategory::faithfulness,
    .better = Better::higher,
    .formula = "correlation over random sets S of: sum over S of a, f(x) - f(x with S at b)",
    .source = "Bhatt, Weller, Moura 2020",
    .about = "Random sets of players of one size go to the baseline. The score is Pearson's correlation, from -1 to 1, "
             "between what the attribution says of them and what the output loses. Slopes are multiplied by x - b "
             "first. Sensitivity-n is the same over several sizes.",
    .cost = "one forward pass per set and baseline, shared by all methods",
    .limits = "Blind to the scale and to a constant offset of the attribution. With sets of a tenth of the players, "
              "players that matter only together with many others are hardly seen.",
    .parameters = {real_parameter("size", 0.1, 1e-9, 1e9, "players in a set; below 1: as a share of all"),
                   integer_parameter("subsets", 100, 2, 1 << 24, "random sets")},
    .score = score_faithfulness_correlation,
});

}  // namespace

}  // namespace ascribe::core::metric_faithfulness_correlation
