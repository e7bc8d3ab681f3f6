#include "draw/picture_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace ascribe::core {

std::string signed_text(double value) { return fmt::format("{:+.3g}", value); }

std::string share_text(double value, double change) {
  return change == 0 ? "" : fmt::format(" ({:.1f} % of the change)", 100 * value / change);
}

void head(Svg& svg, const std::string& title, const std::string& line) {
  svg.text({kMargin, 32}, title, {.size = 17, .bold = true});
  svg.text({kMargin, 56}, line, {.size = 14, .color = "#444444"});
}

double head_width(const std::string& title, const std::string& line) {
  return 2 * kMargin + std::max(11.3 * static_cast<double>(title.size()), 8.3 * static_cast<double>(line.size()));
}

}  // namespace ascribe::core
