// JPEG files: pixels are between 0 and 255, and as many as the size says.
#include "data/jpeg.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_jpeg {
namespace {

void feed(Bytes bytes) {
  const std::string text = text_of(bytes);
  if (!is_jpeg(text)) return;
  const Image image = decode_jpeg(text, "fuzz.jpg");
  hold(static_cast<int64_t>(image.pixels.size()) == image.height * image.width * image.channels,
       "all pixels are there");
  for (const float value : image.pixels) hold(value >= 0 && value <= 255, "pixels are between 0 and 255");
}

const RegisterTarget registered({"jpeg", "JPEG files", Form::bytes, 4096, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_jpeg
