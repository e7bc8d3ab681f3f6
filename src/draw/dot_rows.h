// Rows of dots on a common scale from left to right: each row has a name, each dot a kind (colour and shape) and an
// interval. For a few numbers under many circumstances.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace ascribe::core {

struct Dot {
  int64_t kind = 0;
  double value = 0, low = 0, high = 0;
};

struct DotRow {
  std::string name;
  std::vector<Dot> dots;
};

struct DotReference {
  std::string name;
  double value = 0;
};

struct DotPanel {
  std::string title;
  std::vector<DotRow> rows;
  std::optional<DotReference> reference = {};  // a dashed line down all rows
};

struct DotKind {
  int64_t kind = 0;
  std::string name;
};

struct DotRows {
  std::string title, line;  // the head
  std::string unit;
  std::vector<DotKind> legend;
  std::vector<DotPanel> panels;  // one below the other, each with a scale of its own
};

Svg dot_rows(const DotRows& chart);
std::string dot_rows_svg(const DotRows& chart);

}  // namespace ascribe::core
