#include "data/box_in_row.h"

#include <algorithm>

namespace ascribe::core {

std::optional<Box> box_in_row(const Box& box, ImageSize image, const Preprocess& preprocess) {
  ImageSize size = image;
  const std::vector<int64_t>& resize = preprocess.resize;
  if (resize.size() == 1) size = short_side_size(size, resize[0]);
  if (resize.size() == 2) size = {resize[0], resize[1]};
  const double across = static_cast<double>(size.width) / static_cast<double>(image.width);
  const double down = static_cast<double>(size.height) / static_cast<double>(image.height);
  double left = 0, top = 0;
  if (!preprocess.crop.empty()) {
    left = static_cast<double>(crop_start(size.width, preprocess.crop[1]));
    top = static_cast<double>(crop_start(size.height, preprocess.crop[0]));
    size = {preprocess.crop[0], preprocess.crop[1]};
  }
  const auto x = [&](double at) { return std::clamp(at * across - left, 0.0, static_cast<double>(size.width)); };
  const auto y = [&](double at) { return std::clamp(at * down - top, 0.0, static_cast<double>(size.height)); };
  const Box result{x(box.x0), y(box.y0), x(box.x1), y(box.y1)};
  if (!(result.x1 > result.x0) || !(result.y1 > result.y0)) return std::nullopt;
  return result;
}

std::optional<ImageSize> stored_size(const Source& source) {
  if (source.image) return ImageSize{source.image->height, source.image->width};
  if (source.pixels) return ImageSize{source.pixels->shape()[1], source.pixels->shape()[2]};
  return std::nullopt;
}

}  // namespace ascribe::core
