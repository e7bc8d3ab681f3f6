// png files through libpng; see image.h for the conventions.
#pragma once

#include "data/image.h"

namespace ascribe::core {

bool is_png(std::string_view bytes);
Image decode_png(std::string_view bytes, const std::string& where);
std::string encode_png(const Image& image);  // 8 bit per channel, values rounded and cut to 0..255

}  // namespace ascribe::core
