// Photographs and drawings: png and jpeg files as pixels of 0..255, told apart by content.
// 16-bit channels become fractions of the 255 steps; palettes are looked up; transparent
// pixels are placed on white; CMYK becomes RGB; colour profiles and EXIF rotation are ignored,
// as in most training pipelines. Damaged files are errors of kind io.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ascribe::core {

struct Image {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;       // 1 (gray) or 3 (red, green, blue)
  std::vector<float> pixels;  // [height, width, channels], 0..255
  bool transparent = false;   // the file had an alpha channel that was not opaque everywhere

  float at(int64_t y, int64_t x, int64_t c) const { return pixels[(y * width + x) * channels + c]; }
};

inline constexpr int64_t kMaximumPixels = int64_t{1} << 26;

bool is_image(std::string_view bytes);
Image decode_image(std::string_view bytes, const std::string& where);

Image to_gray(const Image& image);  // luma of ITU-R 601, as PIL's mode L
Image to_rgb(const Image& image);

}  // namespace ascribe::core
