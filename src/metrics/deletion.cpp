// Deletion, or pixel flipping (Samek et al., 2017; Petsiuk et al., 2018): players are put at the baseline, the highest
// value first. The area below (f - f(b)) / |f(x) - f(b)| over the share of players gone; trapezia.
#include "metrics/flipping.h"

namespace ascribe::core::metric_deletion {

namespace {

const RegisterMetric registered({
    .name = "deletion",
    .title = "Deletion (pixel flipping)",
    .category = MetricCategory::faithfulness,
    .better = Better::lower,
    .formula = "area below (f(players gone, highest first) - f(b)) / |f(x) - f(b)|",
    .source = "Samek, Binder, Montavon, Lapuschkin, Mueller 2017; Petsiuk, Das, Saenko 2018",
    .about = "Players are replaced by the baseline one group after another, those with the highest values first, and "
             "the output is followed: where the attribution is right it falls at once. The curve starts at f(x), which "
             "counts as "
             "1 (or -1 where f(x) is below f(b)), and ends at f(b), which counts as 0. With scale none it is the "
             "output itself. Values are ranked with their signs, slopes as they are; of equal ones the player with the "
             "lower number goes first.",
    .cost = "one forward pass per step, method and baseline",
    .limits = "Half-emptied inputs are unlike anything that the network was trained on. Only the order of the values "
              "counts, not their size. Where f(x) is near f(b) the scale is small and the score large: rows like that "
              "dominate a mean, unless scale is none.",
    .parameters = flipping_parameters(),
    .score = [](const MetricInput& input) { return score_flipping(input, Flip::away); },
});

}  // namespace

}  // namespace ascribe::core::metric_deletion
