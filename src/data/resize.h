// Bilinear resizing with antialiasing as PIL does it: a triangle filter whose support grows
// with the factor of reduction, columns before rows, 8-bit pixels rounded after each pass.
#pragma once

#include "data/image.h"

namespace ascribe::core {

Image resize(const Image& image, int64_t height, int64_t width);
// The shorter side becomes `size`, the longer keeps the proportions (rounded down).
Image resize_short_side(const Image& image, int64_t size);
Image centre_crop(const Image& image, int64_t height, int64_t width);  // of an image at least that large

// The sizes and places that these use.
struct ImageSize {
  int64_t height = 0, width = 0;
};
ImageSize short_side_size(ImageSize image, int64_t size);
int64_t crop_start(int64_t length, int64_t cropped);

}  // namespace ascribe::core
