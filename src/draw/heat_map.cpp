#include "draw/heat_map.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "draw/diverging.h"
#include "draw/picture_text.h"

namespace ascribe::core {

int64_t enlargement(int64_t height, int64_t width, int64_t side) {
  return std::max<int64_t>(1, side / std::max(height, width));
}

Image enlarged(const Image& image, int64_t factor) {
  Image large{image.height * factor, image.width * factor, image.channels, {}, false};
  large.pixels.reserve(static_cast<size_t>(large.height * large.width * large.channels));
  for (int64_t y = 0; y < large.height; ++y) {
    for (int64_t x = 0; x < large.width; ++x) {
      for (int64_t c = 0; c < image.channels; ++c) large.pixels.push_back(image.at(y / factor, x / factor, c));
    }
  }
  return large;
}

double symmetric_limit(const std::vector<double>& values) {
  double limit = 0;
  for (const double value : values) limit = std::max(limit, std::abs(value));
  return limit;
}

double largest(const PixelValues& values) {
  double limit = 0;
  for (const auto& value : values) limit = std::max(limit, std::abs(value.value_or(0)));
  return limit;
}

double robust_limit(const PixelValues& values) {
  std::vector<double> magnitudes;
  for (const auto& value : values) {
    if (value) magnitudes.push_back(std::abs(*value));
  }
  if (magnitudes.empty()) return 0;
  const auto shown = static_cast<size_t>(std::ceil(kShownShare * static_cast<double>(magnitudes.size())));
  const auto at = magnitudes.begin() + static_cast<int64_t>(shown) - 1;
  std::nth_element(magnitudes.begin(), at, magnitudes.end());
  return *at > 0 ? *at : symmetric_limit(magnitudes);
}

Image heat_map(const Image& input, const PixelValues& values, double limit) {
  const Image gray = to_gray(input);
  require(std::ssize(values) == gray.height * gray.width, "pictures", "the values do not fit the image");
  Image map{gray.height, gray.width, 3, {}, false};
  map.pixels.reserve(3 * values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double light = std::clamp(static_cast<double>(gray.pixels[i]) / 255, 0.0, 1.0);
    const Rgb color = values[i] ? diverging(limit > 0 ? *values[i] / limit : 0) : Rgb{190, 190, 190};
    for (const double channel : color) map.pixels.push_back(static_cast<float>(channel * (0.86 + 0.14 * light)));
  }
  return map;
}

void color_bar(Svg& svg, Point corner, double height, double limit) {
  constexpr int kSteps = 101;
  constexpr double kWidth = 20;
  for (int i = 0; i < kSteps; ++i) {
    const double t = 1 - 2.0 * i / (kSteps - 1);
    svg.rectangle({corner.x, corner.y + height * i / kSteps}, kWidth, height / kSteps + 0.5, hex(diverging(t)));
  }
  svg.rectangle(corner, kWidth, height, "none", {.color = kFaint});
  const double x = corner.x + kWidth + 8;
  svg.text({x, corner.y + 10}, signed_text(limit), {.size = 13});
  svg.text({x, corner.y + height / 2 + 5}, "0", {.size = 13});
  svg.text({x, corner.y + height}, signed_text(-limit), {.size = 13});
}

}  // namespace ascribe::core
