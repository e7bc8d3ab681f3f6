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
// Its length, name, content and checksum.
std::string png_chunk(const std::string& name, const std::string& content);
// The png file with more chunks between its header and its pixels.
std::string with_chunks(const std::string& png, const std::string& chunks);
// A png file that ends after its header chunk, of 8-bit gray pixels.
std::string png_header(uint32_t height, uint32_t width);
// A gray jpeg of one value in this many scans.
std::string make_jpeg_of_scans(int side, int scans);
// A jpeg of one colour; 4 channels are inks.
std::string make_jpeg(int height, int width, int channels, const std::vector<uint8_t>& color);

}  // namespace ascribe::core
