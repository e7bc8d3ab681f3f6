// Pointing game (Zhang et al., 2018): whether the highest pixel hits the object.
//   1 if the pixel with the highest value lies in the object or at most `tolerance` pixels beside it, otherwise 0
#include <algorithm>
#include <cmath>

#include "metrics/localisation.h"

namespace ascribe::core::metric_pointing_game {

namespace {

// Whether a pixel of the object lies in the disc around (y, x).
bool hits(const PixelMask& object, const ImageShape& image, int64_t y, int64_t x, double tolerance) {
  const auto reach = static_cast<int64_t>(std::floor(tolerance));
  for (int64_t row = std::max<int64_t>(0, y - reach); row <= std::min(image.height - 1, y + reach); ++row) {
    for (int64_t column = std::max<int64_t>(0, x - reach); column <= std::min(image.width - 1, x + reach); ++column) {
      const auto dy = static_cast<double>(row - y), dx = static_cast<double>(column - x);
      if (dy * dy + dx * dx > tolerance * tolerance) continue;
      if (object[static_cast<size_t>(row * image.width + column)] == 1) return true;
    }
  }
  return false;
}

Score pointing(std::span<const double> pixels, const PixelMask& object, const ImageShape& image, double tolerance) {
  if (std::count(object.begin(), object.end(), uint8_t{1}) == 0) {
    return undefined_score("the object has no pixel in the image");
  }
  const double highest = *std::max_element(pixels.begin(), pixels.end());
  double hit = 0, count = 0;
  for (size_t i = 0; i < pixels.size(); ++i) {
    if (pixels[i] != highest) continue;
    ++count;
    const auto at = static_cast<int64_t>(i);
    hit += hits(object, image, at / image.width, at % image.width, tolerance) ? 1 : 0;
  }
  return {hit / count};
}

Scores score_pointing_game(const MetricInput& input) {
  const double tolerance = input.parameters.real("tolerance");
  return score_pixels(input, [&](std::span<const double> pixels, size_t q) {
    return pointing(pixels, input.objects[q], *input.questions[q].players.image, tolerance);
  });
}

const RegisterMetric registered({
    .name = "pointing_game",
    .title = "Pointing game",
    .category = MetricCategory::localisation,
    .better = Better::higher,
    .formula = "1 if the pixel with the highest value lies in the object, within the tolerance; otherwise 0",
    .source = "Zhang, Bargal, Lin, Brandt, Shen, Sclaroff 2018",
    .about = "Whether the one pixel with the highest value (summed over its channels) hits the object; the mean over "
             "images is the share of hits. Where several pixels tie for the highest, the share of them that hit. The "
             "source allows 15 pixels of error in images of some hundred pixels; here the tolerance is 0 unless it is "
             "given, because images come in all sizes.",
    .cost = "none: the network is not run",
    .limits = "Looks at a single pixel: what the rest of the attribution says does not count.",
    .images = true,
    .objects = true,
    .parameters = {real_parameter("tolerance", 0, 0, 1e4, "pixels by which the object may be missed")},
    .score = score_pointing_game,
});

}  // namespace

}  // namespace ascribe::core::metric_pointing_game
