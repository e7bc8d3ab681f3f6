#include "draw/columns.h"

#include <algorithm>

#include <fmt/format.h>

#include "draw/axis.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kColumnAxis = 70, kColumnHeight = 300, kColumnStep = 66, kColumnWidth = 40;

void draw_column(Svg& svg, const Column& column, const Axis& axis, double middle, const std::string& unit) {
  const double zero = axis.place(0), top = axis.place(column.value);
  svg.rectangle({middle - kColumnWidth / 2, top}, kColumnWidth, zero - top, "#7a9cc6");
  double above = top;
  if (column.low < column.high) {
    const double low = axis.place(column.low), high = axis.place(column.high);
    svg.line({middle, low}, {middle, high}, {.color = "#222222", .width = 1.2});
    for (const double y : {low, high}) svg.line({middle - 5, y}, {middle + 5, y}, {.color = "#222222", .width = 1.2});
    above = std::min(above, high);
  }
  svg.text({middle, above - 6}, fmt::format("{:.3g}{}", column.value, unit), {.size = 12, .anchor = Anchor::middle});
  svg.text({middle, zero + 20}, column.name, {.size = 13, .anchor = Anchor::middle});
}

}  // namespace

Svg column_chart(const ColumnChart& chart) {
  std::vector<double> values = {0};
  for (const Column& column : chart.columns) values.insert(values.end(), {column.value, column.high});
  const double left = kMargin + kColumnAxis;
  const double right = left + kColumnStep * static_cast<double>(std::max<size_t>(chart.columns.size(), 1));
  const double top = kHead + 16, bottom = top + kColumnHeight;
  Svg svg(std::max(right + kMargin, head_width(chart.title, chart.line)), bottom + 70);
  head(svg, chart.title, chart.line);
  const Axis axis(Scale::linear, values, top, bottom, chart.unit);
  axis.draw(svg, left, right);
  for (size_t i = 0; i < chart.columns.size(); ++i) {
    draw_column(svg, chart.columns[i], axis, left + kColumnStep * (static_cast<double>(i) + 0.5), chart.unit);
  }
  svg.text({(left + right) / 2, bottom + 46}, chart.axis, {.size = 14, .anchor = Anchor::middle});
  return svg;
}

std::string columns_svg(const ColumnChart& chart) { return column_chart(chart).finish(); }

}  // namespace ascribe::core
