// Named numbers in groups: a column for each group, points with error bars side by side in it, their names at the right
// of the column where they never cover each other, and a line at the group's mean. Groups differ in colour and in
// shape, so that the picture can be read without colours too.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "draw/axis.h"

namespace ascribe::core {

struct ScatterPoint {
  std::string name;
  int64_t group = 0;  // 0, 1, 2 ...
  double value = 0, low = 0, high = 0;
};

struct ScatterPanel {
  std::string title;
  std::vector<ScatterPoint> points;
  std::optional<ScatterPoint> reference = {};  // a dashed line across all groups: its name and value
  std::string remark = {};                     // under the panel
  // Values beyond it would leave no room for the others: they stand at the upper end with their number.
  double cut = std::numeric_limits<double>::infinity();
};

struct Scatter {
  std::string title, line;  // the head
  std::string groups;       // what the groups are: "principles satisfied"
  std::string values;       // what the numbers are, with which direction is good
  Scale scale = Scale::linear;
  std::string unit = {};
  std::vector<ScatterPanel> panels;
};

std::string scatter_svg(const Scatter& scatter);

// What the line of a group marks: the mean, on a logarithmic scale the geometric one. Points that the scale does not
// take or that are cut off do not count; nothing if none is left.
std::optional<double> mean_of_group(const ScatterPanel& panel, int64_t group, Scale scale);

// Places in the given order, at least `gap` apart and within [top, bottom], moved as little as that takes.
std::vector<double> spread_apart(std::vector<double> wanted, double gap, double top, double bottom);

}  // namespace ascribe::core
