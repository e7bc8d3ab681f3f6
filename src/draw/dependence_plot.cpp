#include "draw/dependence_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/axis.h"
#include "draw/bars.h"
#include "draw/beeswarm.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kPlotAcross = 380, kPlotUp = 260, kPlotAxis = 58, kPlotDot = 3;
constexpr double kCutShare = 0.01, kMostStretch = 3;
constexpr size_t kMostCategoryNames = 8, kLongestCategory = 10;

// From left to right; it need not hold 0. A few numbers far from all others would leave no room for those: the axis
// ends before them.
struct Across {
  double low = 0, high = 1, step = 1;
  size_t beyond = 0;  // dots that stand at its ends
  double left = 0, right = 0;

  double place(double x) const { return left + (std::clamp(x, low, high) - low) / (high - low) * (right - left); }
};

double step_of(double range) {
  const double power = std::pow(10.0, std::floor(std::log10(range / 6)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= range / 6) return factor * power;
  }
  return 10 * power;
}

Across across_of(std::vector<double> values, double left, double right) {
  Across across;
  across.left = left;
  across.right = right;
  if (values.empty()) return across;
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = [&](double share) { return values[static_cast<size_t>(std::lround(share * last))]; };
  across.low = values.front();
  across.high = values.back();
  const double low = at(kCutShare), high = at(1 - kCutShare);
  if (high > low && across.high - across.low > kMostStretch * (high - low)) {
    across.low = low;
    across.high = high;
    for (const double value : values) across.beyond += value < low || value > high ? 1 : 0;
  }
  if (!(across.high > across.low)) {
    const double half = across.low == 0 ? 1 : std::abs(across.low) / 10;
    across.low -= half;
    across.high += half;
  }
  const double room = 0.03 * (across.high - across.low);
  across.low -= room;
  across.high += room;
  across.step = step_of(across.high - across.low);
  return across;
}

void draw_across(Svg& svg, const DependencePlot& plot, const Across& across, double bottom) {
  const TextStyle small{.size = 12, .color = "#444444", .anchor = Anchor::middle};
  svg.line({across.left, bottom}, {across.right, bottom}, {.color = "#888888"});
  if (plot.categories.empty()) {
    const double first = std::ceil(across.low / across.step);
    for (double i = first; i * across.step <= across.high; ++i) {
      const double mark = i == 0 ? 0 : i * across.step, x = across.place(mark);
      svg.line({x, bottom}, {x, bottom + 5}, {.color = "#888888"});
      svg.text({x, bottom + 19}, fmt::format("{:.6g}", mark), small);
    }
    return;
  }
  for (size_t c = 0; c < plot.categories.size() && plot.categories.size() <= kMostCategoryNames; ++c) {
    svg.text({across.place(static_cast<double>(c)), bottom + 19}, shortened(plot.categories[c], kLongestCategory),
             small);
  }
}

}  // namespace

Svg dependence_plot(const DependencePlot& plot) {
  const double left = kMargin + kPlotAxis, right = left + kPlotAcross, top = kHead + 6, bottom = top + kPlotUp;
  Svg svg(std::max(right + kMargin, head_width(plot.title, plot.line)), bottom + (plot.shades.empty() ? 52 : 78));
  head(svg, plot.title, plot.line);
  std::vector<double> across, up = {0};
  for (const DependenceDot& dot : plot.dots) across.push_back(dot.x), up.push_back(dot.y);
  const Across x = across_of(std::move(across), left, right);
  const Axis y(Scale::linear, up, top, bottom);
  y.draw(svg, left, right);
  svg.line({left, y.place(0)}, {right, y.place(0)}, {.color = "#888888"});
  draw_across(svg, plot, x, bottom);
  for (const DependenceDot& dot : plot.dots) {
    svg.dot({x.place(dot.x), y.place(dot.y)}, kPlotDot, shade_color(dot.shade), dot.number);
  }
  const std::string beyond =
      x.beyond == 0 ? "" : fmt::format(" ({} beyond the ends stand{} at them)", x.beyond, x.beyond == 1 ? "s" : "");
  svg.text({(left + right) / 2, bottom + 38}, plot.across + beyond, {.size = 13, .anchor = Anchor::middle});
  svg.text({left, top - 8}, plot.up, {.size = 12, .color = kFaint});
  if (!plot.shades.empty()) draw_shades(svg, {left, bottom + 54}, plot.shades);
  return svg;
}

}  // namespace ascribe::core
