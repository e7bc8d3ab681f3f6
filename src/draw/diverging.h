// Colours for signed numbers: blue for negative, white for zero, red for positive. Lightness falls on both sides, and
// blue and red are told apart with every common kind of colour blindness.
#pragma once

#include <array>
#include <string>

namespace ascribe::core {

using Rgb = std::array<double, 3>;  // 0..255

// `t` from -1 to 1; cut off beyond.
Rgb diverging(double t);
std::string hex(const Rgb& color);  // "#b2182b"

inline constexpr const char* kPositive = "#b2182b";
inline constexpr const char* kNegative = "#2166ac";
inline const char* color_of_sign(double value) { return value < 0 ? kNegative : kPositive; }

}  // namespace ascribe::core
