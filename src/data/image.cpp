#include "data/image.h"

#include <cmath>

#include "base/error.h"
#include "data/jpeg.h"
#include "data/png.h"

namespace ascribe::core {

bool is_image(std::string_view bytes) { return is_png(bytes) || is_jpeg(bytes); }

Image decode_image(std::string_view bytes, const std::string& where) {
  if (is_png(bytes)) return decode_png(bytes, where);
  if (is_jpeg(bytes)) return decode_jpeg(bytes, where);
  fail(ErrorKind::io, where, "not an image; expected a png or jpeg file");
}

Image to_gray(const Image& image) {
  if (image.channels == 1) return image;
  Image gray{image.height, image.width, 1, std::vector<float>(image.height * image.width), image.transparent};
  for (size_t i = 0; i < gray.pixels.size(); ++i) {
    const float* p = &image.pixels[3 * i];
    gray.pixels[i] = std::floor((19595.0F * p[0] + 38470.0F * p[1] + 7471.0F * p[2]) / 65536.0F + 0.5F);
  }
  return gray;
}

Image to_rgb(const Image& image) {
  if (image.channels == 3) return image;
  Image rgb{image.height, image.width, 3, std::vector<float>(3 * image.pixels.size()), image.transparent};
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) rgb.pixels[3 * i + c] = image.pixels[i];
  }
  return rgb;
}

}  // namespace ascribe::core
