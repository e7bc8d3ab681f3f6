// SLIC superpixels (Achanta et al., "SLIC superpixels compared to state-of-the-art superpixel methods",
// IEEE TPAMI 34, 2012): k-means of pixels in (value, place), each centre looking no further than twice its step.
//   d^2 = |value difference|^2 + (compactness / step)^2 |distance|^2
// Values are the image's own numbers, scaled so that their whole range is 100, as lightness is in Lab; so an image
// of one channel, or one that was normalised, is treated like any other. Deterministic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core {

struct SuperpixelOptions {
  int64_t count = 16;  // at most this many
  double compactness = 10;
  int iterations = 10;
};

struct Superpixels {
  std::vector<int32_t> label;  // of each pixel, row by row; numbered in the order of their first pixel
  int64_t count = 0;
};

// `values`: [height, width, channels]. Every region is connected (by sides); fragments smaller than a quarter of
// the average join the neighbour they share the longest border with.
Superpixels superpixels(std::span<const double> values, int64_t height, int64_t width, int64_t channels,
                        const SuperpixelOptions& options);

}  // namespace ascribe::core
