// Numbers over an image, in the colours of draw/diverging.h: white at 0, both ends of the scale equally far from it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "data/image.h"
#include "draw/svg.h"

namespace ascribe::core {

// The factor by which small images are enlarged: a whole number, so that pixels stay squares. `side`: about what the
// longer side is to take.
int64_t enlargement(int64_t height, int64_t width, int64_t side = 448);
Image enlarged(const Image& image, int64_t factor);

// The largest magnitude: both ends of the colour scale.
double symmetric_limit(const std::vector<double>& values);

using PixelValues = std::vector<std::optional<double>>;  // row by row; nothing: nobody owns the pixel
double largest(const PixelValues& values);               // magnitude

// The magnitude that this share of the pixels does not exceed, so that one of them does not take all the colour; the
// largest where that would be 0.
inline constexpr double kShownShare = 0.99;
double robust_limit(const PixelValues& values);

// The values laid over the input, which shines through in gray.
Image heat_map(const Image& input, const PixelValues& values, double limit);

void color_bar(Svg& svg, Point corner, double height, double limit);

}  // namespace ascribe::core
