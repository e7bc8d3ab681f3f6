// Points of several kinds, which differ in colour and in shape, so that pictures can be read without colours too.
#pragma once

#include <cstdint>

#include "draw/svg.h"

namespace ascribe::core {

const char* color_of_kind(int64_t kind);  // of Okabe and Ito, which all eyes tell apart
void draw_marker(Svg& svg, Point at, int64_t kind);

}  // namespace ascribe::core
