// Numbers that change step by step, as a line for each name, in panels side by side; on a logarithmic scale.
#pragma once

#include <string>
#include <vector>

namespace ascribe::core {

struct LineSeries {
  std::string name;
  std::vector<double> values;  // one per step; 0 and what is not finite is left out
};

struct LinePanel {
  std::string title;
  std::vector<LineSeries> series;
  std::string remark = {};  // under the panel
};

struct LineChart {
  std::string title, line;
  std::string axis;                // what the steps are
  std::vector<std::string> steps;  // their names
  std::vector<LinePanel> panels;
};

// All panels have one scale.
std::string lines_svg(const LineChart& chart);

}  // namespace ascribe::core
