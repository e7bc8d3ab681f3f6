// Panels of vertical bars from a zero line, in rows with a heading each: a few numbers that belong together, side by
// side with others. Bars differ in kind, which is their colour, and may be hollow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ascribe::core {

struct PanelBar {
  std::string name;  // below; may be empty
  double value = 0;
  int64_t kind = 0;
  bool hollow = false;
};

struct BarPanel {
  std::string title;
  std::vector<PanelBar> bars;
  std::string remark = {};  // below
};

struct BarPanelRow {
  std::string title;
  std::vector<BarPanel> panels;
};

struct BarKind {
  int64_t kind = 0;
  std::string name;
};

struct BarPanels {
  std::string title, line;
  std::vector<BarKind> legend;
  std::vector<BarPanelRow> rows;
};

// The panels of a row have one scale if their bars can be compared, that is if they begin with the same number.
std::string bar_panels_svg(const BarPanels& sheet);

}  // namespace ascribe::core
