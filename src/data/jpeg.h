// jpeg files through libjpeg; see image.h for the conventions.
#pragma once

#include "data/image.h"

namespace ascribe::core {

bool is_jpeg(std::string_view bytes);
Image decode_jpeg(std::string_view bytes, const std::string& where);

}  // namespace ascribe::core
