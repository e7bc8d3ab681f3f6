// Bounding box accuracy of smoothed maps: every method's map is blurred by the same Gaussian before pixels are ranked.
//   |B and M| / |B|,   M the |B| pixels with the highest values of the map * N(0, sigma^2)
#include <algorithm>

#include "game/baseline.h"
#include "metrics/localisation.h"
#include "metrics/shares.h"

namespace ascribe::core::metric_bounding_box_accuracy_smoothed {

namespace {

constexpr double kWidths = 28;  // sigma goes so many times into the shorter side, unless it is given

std::vector<double> smoothed(std::span<const double> pixels, const ImageShape& image, double given) {
  const double sigma = given > 0 ? given : static_cast<double>(std::min(image.height, image.width)) / kWidths;
  const Shape row = {1, image.height, image.width};
  const Tensor map = Tensor::of<double>({1, 1, image.height, image.width}, pixels);
  BaselineRequest request;
  request.text = fmt::format("blur:{}", sigma);  // a blurred row is what one kind of baseline is
  request.x = &map;
  request.row = row;
  request.image = ImageShape{PixelLayout::chw, 1, image.height, image.width, image.height * image.width};
  const Tensor blurred = make_baselines(request);
  const auto data = blurred.data<double>();
  return {data.begin(), data.end()};
}

Scores score_smoothed(const MetricInput& input) {
  const double sigma = input.parameters.real("sigma");
  return score_pixels(input, [&](std::span<const double> pixels, size_t q) {
    return object_rank_accuracy(smoothed(pixels, *input.questions[q].players.image, sigma), input.objects[q]);
  });
}

const RegisterMetric registered({
    .name = "bounding_box_accuracy_smoothed",
    .title = "Bounding box accuracy, smoothed",
    .category = MetricCategory::localisation,
    .better = Better::higher,
    .formula = "|B and M| / |B|, B the pixels of the box, M the |B| pixels with the highest values of the blurred map",
    .source = "Schulz, Sixt, Tombari, Landgraf 2020, on smoothed maps",
    .about =
        "Bounding box accuracy of maps that were blurred by the same Gaussian: whether a method's map is coarse or "
        "fine, smooth or noisy no longer decides. A pixel's value is the sum over its channels, with its sign; "
        "edges are continued.",
    .cost = "none: the network is not run",
    .limits = "Where people see the object need not be where the network looks. A broad Gaussian favours whatever "
              "lies near the middle of the object.",
    .images = true,
    .objects = true,
    .parameters = {real_parameter("sigma", 0, 0, 1 << 20,
                                  "of the Gaussian, in pixels; 0: a twenty-eighth of the shorter side")},
    .score = score_smoothed,
});

}  // namespace

}  // namespace ascribe::core::metric_bounding_box_accuracy_smoothed
