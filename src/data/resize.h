// Bilinear resizing with antialiasing as PIL does it: a triangle filter whose support grows
// with the factor of reduction, columns before rows, 8-bit pixels rounded after each pass.
#pragma once

#include "data/image.h"

namespace ascribe {

Image resize(const Image& image, int64_t height, int64_t width);
// The shorter side becomes `size`, the longer keeps the proportions (rounded down).
Image resize_short_side(const Image& image, int64_t size);
Image centre_crop(const Image& image, int64_t height, int64_t width);  // of an image at least that large

}  // namespace ascribe
