// What the heads of all pages share: the hash that allows a script, and the colours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/image.h"

namespace ascribe::core::page {

// As Content-Security-Policy wants it: base64 of the bytes.
std::string policy_hash(std::string_view code);

// The colours of draw/diverging.h from -1 to 1, for the script.
std::vector<std::string> color_table();

// The ramps beside the maps, and the picture under the maps of a row, by its number on the page.
std::string ramp_style();
std::string ground_style(size_t number, const Image& image);

}  // namespace ascribe::core::page
