// Insertion (Petsiuk et al., 2018): from the baseline on, players are put at x, the highest value first. The area below
// (f - f(b)) / |f(x) - f(b)| over the share of players that came; trapezia.
#include "metrics/flipping.h"

namespace ascribe::core::metric_insertion {

namespace {

const RegisterMetric registered({
    .name = "insertion",
    .title = "Insertion",
    .category = MetricCategory::faithfulness,
    .better = Better::higher,
    .formula = "area below (f(players come, highest first) - f(b)) / |f(x) - f(b)|",
    .source = "Petsiuk, Das, Saenko 2018",
    .about =
        "Players are added to the baseline one group after another, those with the highest values first: where the "
        "attribution is right the output rises at once, and far above f(x) if harmful players come last. The "
        "curve starts at f(b), which counts as 0, and ends at f(x), which counts as 1 (or -1 where f(x) is below "
        "f(b)). With scale none it is the output itself. Order and ties as for deletion.",
    .cost = "one forward pass per step, method and baseline",
    .limits = "Half-filled inputs are unlike anything that the network was trained on. Only the order of the values "
              "counts, not their size. Where f(x) is near f(b) the scale is small and the score large: rows like that "
              "dominate a mean, unless scale is none.",
    .parameters = flipping_parameters(),
    .score = [](const MetricInput& input) { return score_flipping(input, Flip::in); },
});

}  // namespace

}  // namespace ascribe::core::metric_insertion
