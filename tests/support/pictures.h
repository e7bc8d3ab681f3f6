// png and jpeg files made in memory for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <png.h>

namespace ascribe::core {

struct Picture {
  int height = 0, width = 0;
  int color_type = PNG_COLOR_TYPE_GRAY;
  int bit_depth = 8;
  std::vector<uint8_t> samples;  // rows as they lie in the file
  std::vector<png_color> palette = {};
};

std::string make_png(const Picture& picture);
// A png file that ends after its header chunk, of 8-bit gray pixels.
std::string png_header(uint32_t height, uint32_t width);
// A jpeg of one colour; 4 channels are inks.
std::string make_jpeg(int height, int width, int channels, const std::vector<uint8_t>& color);

}  // namespace ascribe::core
