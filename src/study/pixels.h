// Attributions of images by pixel.
#pragma once

#include "draw/heat_map.h"
#include "methods/method.h"

namespace ascribe::core::study {

// What a map shows at each pixel: the sum over its elements; a player's value is shown once at each of its pixels.
PixelValues pixel_values(const Method& method, const Attribution& attribution, const Players& players);

// The owner of each pixel of an image: of the first channel that somebody owns; -1: nobody.
std::vector<int32_t> pixel_owners(const Players& players);

}  // namespace ascribe::core::study
