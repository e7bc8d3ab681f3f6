#include "draw/dot_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "draw/axis.h"
#include "draw/markers.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kDotRow = 34, kDotWidth = 640, kDotTop = 60, kDotBelow = 44;

double name_width(const DotRows& chart) {
  double width = 0;
  for (const DotPanel& panel : chart.panels) {
    for (const DotRow& row : panel.rows) width = std::max(width, text_width(row.name, 14));
  }
  return width;
}

// Rows of many dots are higher.
double row_height(const DotPanel& panel) {
  size_t most = 0;
  for (const DotRow& row : panel.rows) most = std::max(most, row.dots.size());
  return most <= 3 ? kDotRow : 10 + 9 * static_cast<double>(most);
}

double height_of(const DotPanel& panel) {
  return kDotTop + row_height(panel) * static_cast<double>(panel.rows.size()) + kDotBelow;
}

std::vector<double> dot_numbers(const DotPanel& panel) {
  std::vector<double> numbers;
  for (const DotRow& row : panel.rows) {
    for (const Dot& dot : row.dots) numbers.insert(numbers.end(), {dot.value, dot.low, dot.high});
  }
  if (panel.reference) numbers.push_back(panel.reference->value);
  return numbers;
}

// The kinds one below the other, so that dots of equal value do not hide each other.
void draw_dots(Svg& svg, const DotRow& row, const Axis& axis, double middle) {
  const auto count = static_cast<double>(row.dots.size());
  for (size_t i = 0; i < row.dots.size(); ++i) {
    const Dot& dot = row.dots[i];
    const double y = middle + (static_cast<double>(i) - (count - 1) / 2) * 9;
    svg.line({axis.place(dot.low), y}, {axis.place(dot.high), y}, {color_of_kind(dot.kind), 1.6});
    draw_marker(svg, {axis.place(dot.value), y}, dot.kind);
  }
}

void draw_reference_line(Svg& svg, const DotReference& reference, const Axis& axis, double top, double bottom) {
  const double x = axis.place(reference.value);
  std::vector<std::pair<Point, Point>> dashes;
  for (double y = top; y < bottom; y += 12) dashes.push_back({{x, y}, {x, std::min(y + 6, bottom)}});
  svg.segments(dashes, {"#555555", 1.2});
  svg.text({x, top - 6}, reference.name, {.size = 12, .color = "#555555", .anchor = Anchor::middle});
}

void draw_dot_panel(Svg& svg, const DotPanel& panel, const std::string& unit, double names, double at) {
  const double left = kMargin + names + 16, top = at + kDotTop, high = row_height(panel);
  const double bottom = top + high * static_cast<double>(panel.rows.size());
  const Axis axis(Scale::linear, dot_numbers(panel), left + kDotWidth, left, unit);
  svg.text({kMargin, at + 20}, panel.title, {.size = 16, .bold = true});
  for (size_t r = 0; r < panel.rows.size(); ++r) {
    const double from = top + high * static_cast<double>(r);
    if (r % 2 == 0) svg.rectangle({kMargin - 8, from}, left + kDotWidth + 16 - kMargin, high, "#f4f4f4");
  }
  for (const double mark : axis.marks()) {
    svg.line({axis.place(mark), top}, {axis.place(mark), bottom}, {.color = "#d9d9d9"});
    svg.text({axis.place(mark), bottom + 18}, axis.text(mark),
             {.size = 12.5, .color = "#444444", .anchor = Anchor::middle});
  }
  if (panel.reference) draw_reference_line(svg, *panel.reference, axis, top, bottom);
  for (size_t r = 0; r < panel.rows.size(); ++r) {
    const double middle = top + high * (static_cast<double>(r) + 0.5);
    svg.text({kMargin, middle + 5}, panel.rows[r].name, {.size = 14});
    draw_dots(svg, panel.rows[r], axis, middle);
  }
}

}  // namespace

Svg dot_rows(const DotRows& chart) {
  const double names = name_width(chart);
  double height = kHead + 24;
  for (const DotPanel& panel : chart.panels) height += height_of(panel);
  Svg svg(std::max(names + kDotWidth + 2 * kMargin + 40, head_width(chart.title, chart.line)), height);
  head(svg, chart.title, chart.line);
  double x = kMargin + 8;
  for (const DotKind& kind : chart.legend) {
    draw_marker(svg, {x, kHead + 6}, kind.kind);
    svg.text({x + 12, kHead + 11}, kind.name, {.size = 14});
    x += 40 + text_width(kind.name, 14);
  }
  double at = kHead + 16;
  for (const DotPanel& panel : chart.panels) {
    draw_dot_panel(svg, panel, chart.unit, names, at);
    at += height_of(panel);
  }
  return svg;
}

std::string dot_rows_svg(const DotRows& chart) { return dot_rows(chart).finish(); }

}  // namespace ascribe::core
