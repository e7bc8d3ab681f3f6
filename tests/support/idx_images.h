// A small data set of the format of MNIST.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"

namespace ascribe::core {

// The files of MNIST's format, with a few images of bright bars on dark grounds, of ten classes.
inline void write_idx(const std::filesystem::path& folder, int64_t count) {
  const auto big = [](uint32_t n) {
    return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
                       static_cast<char>(n)};
  };
  const auto images = static_cast<uint32_t>(count);
  std::string pixels = std::string("\0\0\x08\x03", 4) + big(images) + big(28) + big(28);
  std::string labels = std::string("\0\0\x08\x01", 4) + big(images);
  for (int64_t i = 0; i < count; ++i) {
    labels += static_cast<char>(i % 10);
    for (int64_t y = 0; y < 28; ++y) {
      for (int64_t x = 0; x < 28; ++x) {
        const bool bar = y >= 4 && y < 24 && x >= 4 + i % 10 && x < 14 + i % 10;
        pixels += static_cast<char>(bar ? 120 + (7 * x + 11 * y + 13 * i) % 130 : 0);
      }
    }
  }
  write_file(folder / "t10k-images-idx3-ubyte", pixels, true);
  write_file(folder / "t10k-labels-idx1-ubyte", labels, true);
}

}  // namespace ascribe::core
