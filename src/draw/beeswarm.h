// Many rows of named numbers: a line of dots for each name, one dot per row, and the mean magnitude as a bar. Dots that
// would lie on each other are put side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ascribe::core {

struct SwarmDot {
  double value = 0;
  std::optional<double> shade;  // from 0 (pale) to 1 (dark); nothing: gray
};

struct SwarmLine {
  std::string name;
  double mean = 0;  // of the magnitudes
  std::vector<SwarmDot> dots;
};

// In the given order. `shades`: what the shades mean; empty: nothing.
std::string beeswarm_svg(const std::vector<SwarmLine>& lines, const std::string& title, const std::string& line,
                         const std::string& shades);

}  // namespace ascribe::core
