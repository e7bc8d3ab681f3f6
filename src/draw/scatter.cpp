#include "draw/scatter.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "draw/markers.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kPlotHeight = 400, kAxis = 62, kBelow = 78, kBetween = 26;
constexpr double kPoints = 84;  // of a column; the rest is for the names
constexpr double kName = 13.5, kNameGap = 17;

void error_bar(Svg& svg, double x, double low, double high, const char* color) {
  const Stroke stroke{color, 1.6};
  svg.line({x, low}, {x, high}, stroke);
  for (const double y : {low, high}) svg.line({x - 4, y}, {x + 4, y}, stroke);
}

// With the number of what is cut off.
std::string label_of(const ScatterPoint& point, double cut) {
  return point.value > cut ? fmt::format("{} ({:.2g})", point.name, point.value) : point.name;
}

void arrow_up(Svg& svg, Point at, const char* color) {
  svg.segments({{{at.x, at.y + 22}, {at.x, at.y + 6}},
                {{at.x - 4, at.y + 11}, {at.x, at.y + 6}},
                {{at.x + 4, at.y + 11}, {at.x, at.y + 6}}},
               {color, 1.8});
}

struct Column {
  int64_t group = 0;
  double left = 0, width = 0;
  std::vector<ScatterPoint> points;  // the highest on the page comes first
};

std::vector<Column> columns_of(const ScatterPanel& panel) {
  std::set<int64_t> groups;
  for (const ScatterPoint& point : panel.points) groups.insert(point.group);
  std::vector<Column> columns;
  for (const int64_t group : groups) {
    Column& column = columns.emplace_back(Column{group, 0, kPoints + 60, {}});
    for (const ScatterPoint& point : panel.points) {
      if (point.group != group) continue;
      column.points.push_back(point);
      column.width = std::max(column.width, kPoints + 24 + text_width(label_of(point, panel.cut), kName));
    }
    std::stable_sort(column.points.begin(), column.points.end(),
                     [](const ScatterPoint& a, const ScatterPoint& b) { return a.value > b.value; });
  }
  return columns;
}

double width_of(const std::vector<Column>& columns) {
  double width = 0;
  for (const Column& column : columns) width += column.width;
  return width;
}

// The middle of the i-th of `count` points: from left to right and back, so that neighbours in value stand apart.
double dodged(const Column& column, size_t i) {
  const auto count = static_cast<double>(column.points.size());
  return column.left + 10 + (kPoints - 20) * (static_cast<double>(i) + 0.5) / count;
}

void draw_column(Svg& svg, const Column& column, const Axis& axis, double cut, double top, double bottom) {
  const char* color = color_of_kind(column.group);
  std::vector<double> wanted;
  for (const ScatterPoint& point : column.points) wanted.push_back(axis.place(point.value));
  const std::vector<double> names = spread_apart(wanted, kNameGap, top + 8, bottom - 8);
  const double text_left = column.left + kPoints + 10;
  for (size_t i = 0; i < column.points.size(); ++i) {
    svg.line({dodged(column, i), wanted[i]}, {text_left - 3, names[i]}, {.color = "#bdbdbd", .width = 0.8});
  }
  for (size_t i = 0; i < column.points.size(); ++i) {
    const ScatterPoint& point = column.points[i];
    if (point.value > cut) {
      arrow_up(svg, {dodged(column, i), top - 4}, color);
    } else {
      error_bar(svg, dodged(column, i), axis.place(point.low), axis.place(point.high), color);
      draw_marker(svg, {dodged(column, i), wanted[i]}, column.group);
    }
    svg.text({text_left, names[i] + 4.5}, label_of(point, cut), {.size = kName, .halo = "#ffffff"});
  }
}

void draw_mean(Svg& svg, const ScatterPanel& panel, const Column& column, const Axis& axis, Scale scale) {
  const auto mean = mean_of_group(panel, column.group, scale);
  if (!mean) return;
  const double y = axis.place(*mean);
  svg.line({column.left + 4, y}, {column.left + kPoints, y}, {color_of_kind(column.group), 7, 0.28});
}

std::vector<double> numbers_of(const ScatterPanel& panel) {
  std::vector<double> numbers;
  for (const ScatterPoint& point : panel.points) {
    for (const double number : {point.value, point.low, point.high}) {
      if (point.value <= panel.cut) numbers.push_back(number);
    }
  }
  if (panel.reference) numbers.push_back(panel.reference->value);
  return numbers;
}

void draw_reference(Svg& svg, const ScatterPoint& reference, const Axis& axis, double left, double right) {
  const double y = axis.place(reference.value);
  std::vector<std::pair<Point, Point>> dashes;
  for (double x = left; x < right; x += 12) dashes.push_back({{x, y}, {std::min(x + 6, right), y}});
  svg.segments(dashes, {"#555555", 1.2});
  svg.text({left + 6, y + 15}, reference.name, {.size = 12, .color = "#555555", .halo = "#ffffff"});
}

void draw_panel(Svg& svg, const Scatter& scatter, const ScatterPanel& panel, double left) {
  const double top = kHead + 30, bottom = top + kPlotHeight;
  const std::vector<double> numbers = numbers_of(panel);
  const Axis axis(scatter.scale, numbers, top, bottom, scatter.unit);
  std::vector<Column> columns = columns_of(panel);
  const double right = left + kAxis + width_of(columns);
  svg.text({left + kAxis, kHead + 8}, panel.title, {.size = 16, .bold = true});
  axis.draw(svg, left + kAxis, right);
  double at = left + kAxis;
  for (Column& column : columns) {
    column.left = at;
    if (at > left + kAxis) svg.line({at, top}, {at, bottom}, {.color = "#c9c9c9"});
    draw_mean(svg, panel, column, axis, scatter.scale);
    draw_column(svg, column, axis, panel.cut, top, bottom);
    svg.text({at + column.width / 2, bottom + 24}, std::to_string(column.group),
             {.size = 16, .color = color_of_kind(column.group), .anchor = Anchor::middle, .bold = true});
    at += column.width;
  }
  if (panel.reference) draw_reference(svg, *panel.reference, axis, left + kAxis, right);
  svg.line({left + kAxis, top}, {left + kAxis, bottom}, {.color = "#444444"});
  svg.line({left + kAxis, bottom}, {right, bottom}, {.color = "#444444"});
  svg.text({(left + kAxis + right) / 2, bottom + 46}, scatter.groups, {.size = 14, .anchor = Anchor::middle});
  svg.text({left + kAxis, bottom + 70}, panel.remark, {.size = 12, .color = kFaint});
}

}  // namespace

std::optional<double> mean_of_group(const ScatterPanel& panel, int64_t group, Scale scale) {
  double sum = 0, count = 0;
  for (const ScatterPoint& point : panel.points) {
    if (point.group != group || point.value > panel.cut) continue;
    if (scale == Scale::logarithmic && point.value <= 0) continue;
    sum += scale == Scale::linear ? point.value : std::log(point.value);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return scale == Scale::linear ? sum / count : std::exp(sum / count);
}

std::vector<double> spread_apart(std::vector<double> wanted, double gap, double top, double bottom) {
  // Neighbours that are too close form a block, which stands where its members want it to on average.
  struct Block {
    double first = 0;  // place of the first member
    double count = 0;
  };
  std::vector<Block> blocks;
  for (const double place : wanted) {
    blocks.push_back({place, 1});
    while (blocks.size() > 1) {
      const Block last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      if (before.first + before.count * gap <= last.first) break;
      const double moved = last.first - before.count * gap;
      before.first = (before.first * before.count + moved * last.count) / (before.count + last.count);
      before.count += last.count;
      blocks.pop_back();
    }
  }
  std::vector<double> places;
  for (const Block& block : blocks) {
    for (double i = 0; i < block.count; ++i) places.push_back(block.first + i * gap);
  }
  double lowest = bottom;
  for (auto place = places.rbegin(); place != places.rend(); ++place, lowest -= gap) *place = std::min(*place, lowest);
  double highest = top;
  for (double& place : places) {
    place = std::max(place, highest);
    highest = place + gap;
  }
  return places;
}

std::string scatter_svg(const Scatter& scatter) {
  double width = 2 * kMargin - kBetween;
  for (const ScatterPanel& panel : scatter.panels) width += kAxis + width_of(columns_of(panel)) + kBetween;
  const std::string legend = fmt::format("{}. {}; broad lines: {}mean of the group", scatter.values, scatter.line,
                                         scatter.scale == Scale::linear ? "" : "geometric ");
  Svg svg(std::max(width, head_width(scatter.title, legend)), kHead + 30 + kPlotHeight + kBelow + 8);
  head(svg, scatter.title, legend);
  double left = kMargin;
  for (const ScatterPanel& panel : scatter.panels) {
    draw_panel(svg, scatter, panel, left);
    left += kAxis + width_of(columns_of(panel)) + kBetween;
  }
  return svg.finish();
}

}  // namespace ascribe::core
