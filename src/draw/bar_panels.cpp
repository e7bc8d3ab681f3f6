#include "draw/bar_panels.h"

#include <algorithm>
#include <cmath>

#include "draw/axis.h"
#include "draw/markers.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kPanelWidth = 500, kPanelHeight = 150, kPanelGap = 40, kRowHead = 62, kRowFoot = 66;

struct Range {
  double low = 0, high = 0;
};

Range range_of(const BarPanel& panel) {
  Range range;
  for (const PanelBar& bar : panel.bars) {
    range.low = std::min(range.low, bar.value);
    range.high = std::max(range.high, bar.value);
  }
  return range;
}

// One for the whole row where panels show the same number first.
Range range_of(const BarPanelRow& row, const BarPanel& panel) {
  Range range = range_of(panel);
  for (const BarPanel& other : row.panels) {
    if (other.bars.empty() || panel.bars.empty()) continue;
    if (std::abs(other.bars[0].value - panel.bars[0].value) > 1e-9 * std::abs(panel.bars[0].value)) continue;
    const Range another = range_of(other);
    range = {std::min(range.low, another.low), std::max(range.high, another.high)};
  }
  return range;
}

void draw_bar_panel(Svg& svg, const BarPanel& panel, const Range& range, double left, double top) {
  const double height = range.high - range.low > 0 ? range.high - range.low : 1;
  const auto place = [&](double value) { return top + kPanelHeight * (range.high - value) / height; };
  const double step = kPanelWidth / static_cast<double>(std::max<size_t>(panel.bars.size(), 1));
  const double width = std::min(34.0, 0.72 * step), names = top + kPanelHeight + 16;
  svg.text({left, top - 14}, panel.title, {.size = 14});
  for (size_t i = 0; i < panel.bars.size(); ++i) {
    const PanelBar& bar = panel.bars[i];
    const double middle = left + step * (static_cast<double>(i) + 0.5), zero = place(0), end = place(bar.value);
    const char* color = color_of_kind(bar.kind);
    svg.rectangle({middle - width / 2, std::min(zero, end)}, width, std::max(std::abs(end - zero), 0.5),
                  bar.hollow ? "#ffffff" : color, bar.hollow ? Stroke{color, 1.2} : Stroke{});
    svg.text({middle, names}, bar.name, {.size = 12, .color = "#444444", .anchor = Anchor::middle});
  }
  svg.line({left, place(0)}, {left + kPanelWidth, place(0)}, {.color = "#444444"});
  svg.text({left, names + 20}, panel.remark, {.size = 12.5, .color = "#444444"});
}

}  // namespace

std::string bar_panels_svg(const BarPanels& sheet) {
  size_t across = 1;
  for (const BarPanelRow& row : sheet.rows) across = std::max(across, row.panels.size());
  const double band = kRowHead + kPanelHeight + kRowFoot;
  Svg svg(std::max(2 * kMargin + static_cast<double>(across) * (kPanelWidth + kPanelGap) - kPanelGap,
                   head_width(sheet.title, sheet.line)),
          kHead + 28 + band * static_cast<double>(sheet.rows.size()));
  head(svg, sheet.title, sheet.line);
  double x = kMargin;
  for (const BarKind& kind : sheet.legend) {
    svg.rectangle({x, kHead - 4}, 14, 14, color_of_kind(kind.kind));
    svg.text({x + 20, kHead + 8}, kind.name, {.size = 13});
    x += 50 + text_width(kind.name, 13);
  }
  for (size_t r = 0; r < sheet.rows.size(); ++r) {
    const BarPanelRow& row = sheet.rows[r];
    const double top = kHead + 28 + band * static_cast<double>(r);
    svg.text({kMargin, top + 18}, row.title, {.size = 16, .bold = true});
    for (size_t p = 0; p < row.panels.size(); ++p) {
      draw_bar_panel(svg, row.panels[p], range_of(row, row.panels[p]),
                     kMargin + static_cast<double>(p) * (kPanelWidth + kPanelGap), top + kRowHead);
    }
  }
  return svg.finish();
}

}  // namespace ascribe::core
