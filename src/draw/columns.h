// Shares as columns side by side, each with the interval that its mean may lie in.
#pragma once

#include <string>
#include <vector>

#include "draw/svg.h"

namespace ascribe::core {

struct Column {
  std::string name;
  double value = 0;
  double low = 0, high = 0;  // the interval; equal: none is drawn
};

struct ColumnChart {
  std::string title, line;
  std::string axis;  // what the columns are
  std::string unit;  // of the values: " %"
  std::vector<Column> columns;
};

Svg column_chart(const ColumnChart& chart);
std::string columns_svg(const ColumnChart& chart);

}  // namespace ascribe::core
