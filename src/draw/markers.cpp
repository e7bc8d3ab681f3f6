#include "draw/markers.h"

#include <array>

namespace ascribe::core {

const char* color_of_kind(int64_t kind) {
  constexpr std::array kColors = {"#7f7f7f", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00"};
  return kColors[static_cast<size_t>(kind) % kColors.size()];
}

void draw_marker(Svg& svg, Point at, int64_t kind) {
  constexpr double r = 6;
  const char* color = color_of_kind(kind);
  const Stroke edge{"#ffffff", 1.2};
  switch (kind % 4) {
    case 0: svg.polygon({{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x, at.y + r}}, color, 1, edge); break;
    case 1:
      svg.polygon({{at.x, at.y - r - 1}, {at.x + r, at.y + r - 1}, {at.x - r, at.y + r - 1}}, color, 1, edge);
      break;
    case 2: svg.rectangle({at.x - r + 1, at.y - r + 1}, 2 * r - 2, 2 * r - 2, color, edge); break;
    default: svg.circle(at, r, color, edge);
  }
}

}  // namespace ascribe::core
