#include "data/resize.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"

namespace ascribe::core {

namespace {

// The input elements first, first + 1, ... that make one output element.
struct Taps {
  int64_t first = 0;
  std::vector<double> weights;
};

std::vector<Taps> triangle_taps(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0);
  std::vector<Taps> taps(to);
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(std::floor(centre - support + 0.5)), 0);
    const auto end = std::min(static_cast<int64_t>(std::floor(centre + support + 0.5)), from);
    std::vector<double> weights;
    double sum = 0.0;
    for (int64_t x = first; x < end; ++x) {
      const double distance = std::abs(static_cast<double>(x) + 0.5 - centre) / support;
      weights.push_back(std::max(0.0, 1.0 - distance));
      sum += weights.back();
    }
    taps[i].first = first;
    for (const double weight : weights) taps[i].weights.push_back(weight / sum);
  }
  return taps;
}

bool holds_whole_numbers(const Image& image) {
  return std::all_of(image.pixels.begin(), image.pixels.end(), [](float v) { return v == std::floor(v); });
}

// Resamples `to` positions along an axis whose neighbours lie `step` apart; `line` starts each.
template <class Line>
void resample(const Image& from, Image& to, const std::vector<Taps>& taps, int64_t lines, bool round, Line line) {
  parallel_for(lines, 16, [&](int64_t begin, int64_t end) {
    for (int64_t l = begin; l < end; ++l) {
      const auto [source, source_step, target, target_step] = line(l);
      for (size_t i = 0; i < taps.size(); ++i) {
        for (int64_t c = 0; c < from.channels; ++c) {
          double sum = 0.0;
          int64_t at = source + taps[i].first * source_step + c;
          for (const double weight : taps[i].weights) sum += weight * from.pixels[at], at += source_step;
          to.pixels[target + static_cast<int64_t>(i) * target_step + c] =
              static_cast<float>(round ? std::floor(sum + 0.5) : sum);
        }
      }
    }
  });
}

struct Line {
  int64_t source, source_step, target, target_step;
};

Image with_size(const Image& image, int64_t height, int64_t width) {
  return {height, width, image.channels, std::vector<float>(height * width * image.channels), image.transparent};
}

}  // namespace

Image resize(const Image& image, int64_t height, int64_t width) {
  require(image.height > 0 && image.width > 0 && height > 0 && width > 0, "resize", "an image is empty");
  if (height * width > kMaximumPixels || image.height * width > kMaximumPixels) {
    fail(ErrorKind::argument, "resize", "the image would be too large; got {} x {} pixels", width, height);
  }
  const bool round = holds_whole_numbers(image);
  const int64_t c = image.channels;
  Image narrow = with_size(image, image.height, width);
  resample(image, narrow, triangle_taps(image.width, width), image.height, round, [&](int64_t y) {
    return Line{y * image.width * c, c, y * width * c, c};
  });
  Image result = with_size(image, height, width);
  resample(narrow, result, triangle_taps(image.height, height), width, round, [&](int64_t x) {
    return Line{x * c, width * c, x * c, width * c};
  });
  return result;
}

ImageSize short_side_size(ImageSize image, int64_t size) {
  if (image.width <= image.height) return {size * image.height / image.width, size};
  return {size, size * image.width / image.height};
}

// nearbyint: half to even, as Python's round, which the usual pipelines call here
int64_t crop_start(int64_t length, int64_t cropped) {
  return static_cast<int64_t>(std::nearbyint(static_cast<double>(length - cropped) / 2.0));
}

Image resize_short_side(const Image& image, int64_t size) {
  const ImageSize to = short_side_size({image.height, image.width}, size);
  return resize(image, to.height, to.width);
}

Image centre_crop(const Image& image, int64_t height, int64_t width) {
  require(height <= image.height && width <= image.width, "crop", "the image is smaller than the crop");
  const int64_t top = crop_start(image.height, height), left = crop_start(image.width, width);
  Image result = with_size(image, height, width);
  for (int64_t y = 0; y < height; ++y) {
    const auto row = image.pixels.begin() + ((top + y) * image.width + left) * image.channels;
    std::copy(row, row + width * image.channels, result.pixels.begin() + y * width * image.channels);
  }
  return result;
}

}  // namespace ascribe::core
