// Relevance mass accuracy (Arras et al., 2022): how much of the positive attribution lies in the object.
//   sum over the object of max(a, 0)  /  sum over the image of max(a, 0),   a per pixel
#include <algorithm>

#include "metrics/localisation.h"

namespace ascribe::core::metric_relevance_mass_accuracy {

namespace {

Score mass_accuracy(std::span<const double> pixels, const PixelMask& object) {
  if (std::count(object.begin(), object.end(), uint8_t{1}) == 0) {
    return undefined_score("the object has no pixel in the image");
  }
  double inside = 0, all = 0;
  for (size_t i = 0; i < pixels.size(); ++i) {
    const double mass = std::max(pixels[i], 0.0);
    all += mass;
    if (object[i] == 1) inside += mass;
  }
  if (all == 0) return undefined_score("no pixel has a positive value");
  return {inside / all};
}

Scores score_relevance_mass_accuracy(const MetricInput& input) {
  return score_pixels(
      input, [&](std::span<const double> pixels, size_t q) { return mass_accuracy(pixels, input.objects[q]); });
}

const RegisterMetric registered({
    .name = "relevance_mass_accuracy",
    .title = "Relevance mass accuracy",
    .category = MetricCategory::localisation,
    .better = Better::higher,
    .formula = "sum of max(a, 0) in the object / sum of max(a, 0) in the image",
    .source = "Arras, Osman, Samek 2022",
    .about = "The share of the positive attribution that lies in the object. Channels are summed first, then negative "
             "pixels are left out: the source's pooling \"sum, pos\".",
    .cost = "none: the network is not run",
    .limits = "Negative values do not count, wherever they are. Chance gets the object's share of the image.",
    .images = true,
    .objects = true,
    .score = score_relevance_mass_accuracy,
});

}  // namespace

}  // namespace ascribe::core::metric_relevance_mass_accuracy
