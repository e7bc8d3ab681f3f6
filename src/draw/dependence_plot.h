// A number against another, one dot per row, shaded by a third: what a feature's value does to its attribution.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace ascribe::core {

struct DependenceDot {
  double x = 0, y = 0;
  std::optional<double> shade;  // from 0 (pale) to 1 (dark); nothing: gray
  int64_t number = -1;          // of the row, for a script
};

struct DependencePlot {
  std::string title, line;
  std::string across, up;  // what the axes are
  std::string shades;      // what the shades mean; empty: nothing
  std::vector<DependenceDot> dots;
  std::vector<std::string> categories = {};  // of x = 0, 1, 2, ...; empty: x is a number
};

Svg dependence_plot(const DependencePlot& plot);

}  // namespace ascribe::core
