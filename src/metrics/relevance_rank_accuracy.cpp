// Relevance rank accuracy (Arras et al., 2022): how many of the highest pixels, as many as the object has, lie in it.
//   |B and M| / |B|,   the formula of bounding box accuracy; under this name the object is usually an exact mask
#include "metrics/localisation.h"

namespace ascribe::core::metric_relevance_rank_accuracy {

namespace {

Scores score_relevance_rank_accuracy(const MetricInput& input) {
  return score_pixels(
      input, [&](std::span<const double> pixels, size_t q) { return object_rank_accuracy(pixels, input.objects[q]); });
}

const RegisterMetric registered({
    .name = "relevance_rank_accuracy",
    .title = "Relevance rank accuracy",
    .category = MetricCategory::localisation,
    .better = Better::higher,
    .formula = "|B and M| / |B|, B the object's pixels, M the |B| pixels with the highest values",
    .source = "Arras, Osman, Samek 2022",
    .about = "Of the pixels with the highest values, as many as the object has, the share that lies in the object. The "
             "definition is that of bounding_box_accuracy, and so is the number; here channels are pooled by their "
             "sum, which is one of the poolings of the source.",
    .cost = "none: the network is not run",
    .limits = "As for bounding_box_accuracy. The order inside the object does not count.",
    .images = true,
    .objects = true,
    .score = score_relevance_rank_accuracy,
});

}  // namespace

}  // namespace ascribe::core::metric_relevance_rank_accuracy
