#include "draw/lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "draw/axis.h"
#include "draw/picture_text.h"
#include "draw/scatter.h"

namespace ascribe::core {

namespace {

constexpr double kLineAxis = 70, kHeight = 340, kStep = 62, kLineBelow = 80, kLineBetween = 20, kLineName = 13;

// Colours of Okabe and Ito, the yellow left out.
constexpr std::array kLineColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444"};

bool shown(double value) { return std::isfinite(value) && value > 0; }

double names_width(const LinePanel& panel) {
  double width = 0;
  for (const LineSeries& series : panel.series) width = std::max(width, text_width(series.name, kLineName));
  return width + 24;
}

double steps_width(const LineChart& chart) { return kStep * static_cast<double>(chart.steps.size()); }

Axis axis_of(const LineChart& chart, double top, double bottom) {
  std::vector<double> values;
  for (const LinePanel& panel : chart.panels) {
    for (const LineSeries& series : panel.series)
      values.insert(values.end(), series.values.begin(), series.values.end());
  }
  return {Scale::logarithmic, values, top, bottom};
}

// The last place of the line; nothing if it has none.
std::optional<Point> draw_series(Svg& svg, const LineSeries& series, const char* color, const Axis& axis, double left) {
  std::vector<Point> points;
  for (size_t i = 0; i < series.values.size(); ++i) {
    if (!shown(series.values[i])) continue;
    points.push_back({left + kStep * (static_cast<double>(i) + 0.5), axis.place(series.values[i])});
  }
  if (points.empty()) return std::nullopt;
  std::vector<std::pair<Point, Point>> segments;
  for (size_t i = 1; i < points.size(); ++i) segments.push_back({points[i - 1], points[i]});
  svg.segments(segments, {color, 2});
  for (const Point& point : points) svg.circle(point, 4, color, {"#ffffff", 1});
  return points.back();
}

struct LineEnd {
  std::string name;
  const char* color;
  Point at;
};

void draw_names(Svg& svg, std::vector<LineEnd> ends, double x, double top, double bottom) {
  std::stable_sort(ends.begin(), ends.end(), [](const LineEnd& a, const LineEnd& b) { return a.at.y < b.at.y; });
  std::vector<double> wanted;
  for (const LineEnd& end : ends) wanted.push_back(end.at.y);
  const std::vector<double> places = spread_apart(wanted, 16, top, bottom);
  for (size_t i = 0; i < ends.size(); ++i) {
    svg.line({ends[i].at.x + 5, ends[i].at.y}, {x - 3, places[i]}, {"#bdbdbd", 0.8});
    svg.text({x, places[i] + 4.5}, ends[i].name, {.size = kLineName, .color = ends[i].color});
  }
}

void draw_panel(Svg& svg, const LineChart& chart, const LinePanel& panel, double left) {
  const double top = kHead + 28, bottom = top + kHeight, right = left + kLineAxis + steps_width(chart);
  const Axis axis = axis_of(chart, top, bottom);
  svg.text({left + kLineAxis, kHead + 8}, panel.title, {.size = 15, .bold = true});
  axis.draw(svg, left + kLineAxis, right);
  for (size_t i = 0; i < chart.steps.size(); ++i) {
    svg.text({left + kLineAxis + kStep * (static_cast<double>(i) + 0.5), bottom + 22}, chart.steps[i],
             {.size = 14, .anchor = Anchor::middle});
  }
  std::vector<LineEnd> ends;
  for (size_t i = 0; i < panel.series.size(); ++i) {
    const char* color = kLineColors[i % kLineColors.size()];
    if (const auto end = draw_series(svg, panel.series[i], color, axis, left + kLineAxis)) {
      ends.push_back({panel.series[i].name, color, *end});
    }
  }
  draw_names(svg, std::move(ends), right + 4, top + 6, bottom - 6);
  svg.line({left + kLineAxis, bottom}, {right, bottom}, {.color = "#444444"});
  svg.text({(left + kLineAxis + right) / 2, bottom + 44}, chart.axis, {.size = 14, .anchor = Anchor::middle});
  svg.text({left + kLineAxis, bottom + 68}, panel.remark, {.size = 12, .color = kFaint});
}

}  // namespace

std::string lines_svg(const LineChart& chart) {
  double width = 2 * kMargin - kLineBetween;
  const auto panel_width = [&](const LinePanel& panel) {
    return kLineAxis + steps_width(chart) + std::max(names_width(panel), 30.0);
  };
  for (const LinePanel& panel : chart.panels) width += panel_width(panel) + kLineBetween;
  Svg svg(std::max(width, head_width(chart.title, chart.line)), kHead + 28 + kHeight + kLineBelow);
  head(svg, chart.title, chart.line);
  double left = kMargin;
  for (const LinePanel& panel : chart.panels) {
    draw_panel(svg, chart, panel, left);
    left += panel_width(panel) + kLineBetween;
  }
  return svg.finish();
}

}  // namespace ascribe::core
