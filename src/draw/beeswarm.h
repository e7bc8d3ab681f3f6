// Many rows of named numbers: a line of dots for each name, one dot per row, and the mean magnitude as a bar. Dots that
// would lie on each other are put side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace ascribe::core {

struct SwarmDot {
  double value = 0;
  std::optional<double> shade;  // from 0 (pale) to 1 (dark); nothing: gray
  int64_t number = -1;          // of the row, for a script; -1: not told
};

struct SwarmLine {
  std::string name;
  double mean = 0;  // of the magnitudes
  std::vector<SwarmDot> dots;
  double low = 0, high = 0;  // the interval of the mean; equal: none is drawn
};

// In the given order. `shades`: what the shades mean; empty: nothing.
std::string beeswarm_svg(const std::vector<SwarmLine>& lines, const std::string& title, const std::string& line,
                         const std::string& shades);

Svg beeswarm(const std::vector<SwarmLine>& lines, const std::string& title, const std::string& line,
             const std::string& shades);

// From pale yellow over green to dark blue; gray for nothing.
std::string shade_color(const std::optional<double>& shade);
void draw_shades(Svg& svg, Point corner, const std::string& text);

}  // namespace ascribe::core
