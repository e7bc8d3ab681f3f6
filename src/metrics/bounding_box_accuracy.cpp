// Bounding box accuracy (Schulz et al., 2020): how much of the box the highest pixels find.
//   |B and M| / |B|,   B the pixels of the box, M the |B| pixels with the highest values
#include "metrics/localisation.h"

namespace ascribe::core::metric_bounding_box_accuracy {

namespace {

Scores score_bounding_box_accuracy(const MetricInput& input) {
  return score_pixels(
      input, [&](std::span<const double> pixels, size_t q) { return object_rank_accuracy(pixels, input.objects[q]); });
}

const RegisterMetric registered({
    .name = "bounding_box_accuracy",
    .title = "Bounding box accuracy",
    .category = MetricCategory::localisation,
    .better = Better::higher,
    .formula = "|B and M| / |B|, B the pixels of the box, M the |B| pixels with the highest values",
    .source = "Schulz, Sixt, Tombari, Landgraf 2020",
    .about = "Of the pixels with the highest values, as many as the box has, the share that lies in the box. A pixel's "
             "value is the sum over its channels, with its sign; slopes are ranked as they are. Pixels that tie at the "
             "border of M count as if chance chose among them: a constant attribution gets the box's share of the "
             "image. The paper takes images whose box covers less than a third of them.",
    .cost = "none: the network is not run",
    .limits = "Where people see the object need not be where the network looks. Chance gets the box's share of the "
              "image, so large boxes are easy.",
    .images = true,
    .objects = true,
    .score = score_bounding_box_accuracy,
});

}  // namespace

}  // namespace ascribe::core::metric_bounding_box_accuracy
