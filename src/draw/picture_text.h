// What the pictures of effects have in common: margins, their head of two lines, numbers.
#pragma once

#include <string>

#include "draw/svg.h"

namespace ascribe::core {

inline constexpr double kMargin = 24, kHead = 76;  // kHead: where the drawing begins below the title
inline constexpr const char* kFaint = "#777777";

std::string signed_text(double value);                // "+1.23"
std::string share_text(double value, double change);  // " (12.3 % of the change)"

void head(Svg& svg, const std::string& title, const std::string& line);
double head_width(const std::string& title, const std::string& line);  // that holds both lines

}  // namespace ascribe::core
