// PNG files: pixels are between 0 and 255, as many as the size says, and survive being written.
#include <cmath>

#include "data/png.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_png {
namespace {

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  if (!is_png(text)) return;
  const Image image = decode_png(text, "fuzz.png");
  hold(static_cast<int64_t>(image.pixels.size()) == image.height * image.width * image.channels,
       "all pixels are there");
  for (const float value : image.pixels) hold(value >= 0 && value <= 255, "pixels are between 0 and 255");
  if (image.pixels.size() > 4096) return;
  const Image again = decode_png(encode_png(image), "again.png");
  hold(again.height == image.height && again.width == image.width && again.channels == image.channels, "the same size");
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    hold(std::abs(again.pixels[i] - image.pixels[i]) <= 0.5F, "the same pixels, rounded");
  }
}

const RegisterTarget registered({"png", "PNG files", Form::png, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_png
