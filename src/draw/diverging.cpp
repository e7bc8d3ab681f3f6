#include "draw/diverging.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ascribe::core {

namespace {

// Stops from 0 to 1; linear in between.
constexpr std::array<Rgb, 4> kWarm = {{{255, 255, 255}, {247, 190, 160}, {214, 96, 77}, {140, 10, 35}}};
constexpr std::array<Rgb, 4> kCool = {{{255, 255, 255}, {160, 202, 226}, {67, 140, 196}, {10, 62, 122}}};

}  // namespace

Rgb diverging(double t) {
  const auto& stops = t < 0 ? kCool : kWarm;
  const double at = std::min(std::abs(t), 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<size_t>(at), stops.size() - 2);
  const double part = at - static_cast<double>(below);
  Rgb color{};
  for (size_t c = 0; c < 3; ++c) color[c] = stops[below][c] + part * (stops[below + 1][c] - stops[below][c]);
  return color;
}

std::string hex(const Rgb& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(color[0]), std::lround(color[1]), std::lround(color[2]));
}

}  // namespace ascribe::core
