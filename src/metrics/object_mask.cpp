#include "metrics/object_mask.h"

#include <algorithm>
#include <cmath>

#include "data/box_in_row.h"

namespace ascribe::core {

namespace {

void paint(PixelMask& mask, const Box& box, int64_t width) {
  // The centre of pixel i is i + 0.5.
  const auto first = [](double at) { return static_cast<int64_t>(std::ceil(at - 0.5)); };
  for (int64_t y = first(box.y0); y < first(box.y1); ++y) {
    for (int64_t x = first(box.x0); x < first(box.x1); ++x) mask[static_cast<size_t>(y * width + x)] = 1;
  }
}

}  // namespace

PixelMask object_mask(const Sample& sample, const RowPicture& picture) {
  const ImageShape& shape = picture.shape;
  // Arrays are rows already: their boxes are in the row's own pixels.
  const ImageSize size = stored_size(sample.source).value_or(ImageSize{shape.height, shape.width});
  const bool fitted = !stored_size(sample.source).has_value();
  PixelMask mask(static_cast<size_t>(shape.height * shape.width), 0);
  for (const Box& box : sample.boxes) {
    const Preprocess preprocess = fitted ? Preprocess{} : picture.preprocess.value_or(Preprocess{});
    if (const auto part = box_in_row(box, size, preprocess)) paint(mask, *part, shape.width);
  }
  if (std::find(mask.begin(), mask.end(), 1) == mask.end()) return {};
  return mask;
}

double covered(const PixelMask& mask) {
  const auto count = std::count(mask.begin(), mask.end(), 1);
  return mask.empty() ? 0 : static_cast<double>(count) / static_cast<double>(mask.size());
}

}  // namespace ascribe::core
