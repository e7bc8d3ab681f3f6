#include "draw/beeswarm.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "draw/axis.h"
#include "draw/bars.h"
#include "draw/diverging.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kSwarmStep = 34, kSwarmWidth = 460, kSwarmMean = 150, kSwarmRadius = 2.6, kSwarmName = 13;
constexpr size_t kSwarmLongest = 40;

// How far each dot is moved from its line so that none lies on another: 0, 1, -1, 2, -2, ... in columns as wide as a
// dot.
std::vector<double> offsets(const std::vector<double>& places) {
  std::map<int64_t, int> taken;
  std::vector<double> result;
  for (const double place : places) {
    const int count = taken[std::llround(place / (1.6 * kSwarmRadius))]++;
    result.push_back((count % 2 == 0 ? -1.0 : 1.0) * ((count + 1) / 2));
  }
  // Crowded columns are pressed together so that they stay within their line.
  const double most =
      result.empty() ? 0 : std::abs(*std::max_element(result.begin(), result.end(), [](double a, double b) {
        return std::abs(a) < std::abs(b);
      }));
  const double unit = std::min(1.7 * kSwarmRadius, most > 0 ? (kSwarmStep / 2 - kSwarmRadius - 1) / most : 0);
  for (double& offset : result) offset *= unit;
  return result;
}

void draw_dots(Svg& svg, const SwarmLine& line, double left, double middle, double low, double high) {
  std::vector<double> places;
  for (const SwarmDot& dot : line.dots) places.push_back(left + (dot.value - low) / (high - low) * kSwarmWidth);
  const std::vector<double> moved = offsets(places);
  for (size_t i = 0; i < places.size(); ++i) {
    svg.dot({places[i], middle + moved[i]}, kSwarmRadius, shade_color(line.dots[i].shade), line.dots[i].number);
  }
}

}  // namespace

// From a pale yellow over green to a dark blue: told apart by lightness alone.
std::string shade_color(const std::optional<double>& shade) {
  if (!shade) return "#888888";
  const double t = std::clamp(*shade, 0.0, 1.0);
  constexpr Rgb kPale = {240, 210, 90}, kMiddle = {64, 160, 130}, kDark = {48, 30, 110};
  Rgb color{};
  for (size_t c = 0; c < 3; ++c) {
    color[c] =
        t < 0.5 ? kPale[c] + (kMiddle[c] - kPale[c]) * 2 * t : kMiddle[c] + (kDark[c] - kMiddle[c]) * (2 * t - 1);
  }
  return hex(color);
}

void draw_shades(Svg& svg, Point corner, const std::string& text) {
  constexpr int kShadeCells = 30;
  for (int i = 0; i < kShadeCells; ++i) {
    svg.rectangle({corner.x + 4.0 * i, corner.y}, 4.4, 11, shade_color((i + 0.5) / kShadeCells));
  }
  svg.text({corner.x + 4.0 * kShadeCells + 10, corner.y + 10}, text, {.size = 12, .color = kFaint});
}

Svg beeswarm(const std::vector<SwarmLine>& lines, const std::string& title, const std::string& line,
             const std::string& shades) {
  double low = 0, high = 0, mean = 0, names = 40;
  for (const SwarmLine& one : lines) {
    names = std::max(names, text_width(shortened(one.name, kSwarmLongest), kSwarmName));
    mean = std::max({mean, one.mean, one.high});
    for (const SwarmDot& dot : one.dots) low = std::min(low, dot.value), high = std::max(high, dot.value);
  }
  if (!(high > low)) high = low + 1;
  const double bars = kMargin + names + 12, left = bars + kSwarmMean + 70, top = kHead + 18;
  const double bottom = top + kSwarmStep * static_cast<double>(lines.size());
  Svg svg(std::max(left + kSwarmWidth + 2 * kMargin, head_width(title, line)), bottom + 66);
  head(svg, title, line);
  const double zero = left - low / (high - low) * kSwarmWidth;
  svg.text({bars, kHead + 4}, "mean magnitude", {.size = 12, .color = kFaint});
  svg.text({left, kHead + 4}, "value in each row", {.size = 12, .color = kFaint});
  for (size_t i = 0; i < lines.size(); ++i) {
    const double middle = top + kSwarmStep * (static_cast<double>(i) + 0.5);
    svg.text({bars - 8, middle + 4.5}, shortened(lines[i].name, kSwarmLongest),
             {.size = kSwarmName, .anchor = Anchor::end});
    const double length = mean > 0 ? lines[i].mean / mean * kSwarmMean : 0;
    svg.rectangle({bars, middle - 8}, length, 16, "#6b7a8f");
    double end = length;
    if (lines[i].low < lines[i].high && mean > 0) {
      const double from = std::max(0.0, lines[i].low) / mean * kSwarmMean, to = lines[i].high / mean * kSwarmMean;
      svg.line({bars + from, middle}, {bars + to, middle}, {"#222222", 1.2});
      for (const double x : {from, to}) svg.line({bars + x, middle - 4}, {bars + x, middle + 4}, {"#222222", 1.2});
      end = std::max(end, to);
    }
    svg.text({bars + end + 5, middle + 4}, fmt::format("{:.3g}", lines[i].mean), {.size = 11, .color = kFaint});
    svg.line({left, middle}, {left + kSwarmWidth, middle}, {"#e4e4e4"});
  }
  svg.line({zero, top}, {zero, bottom}, {"#888888"});
  for (size_t i = 0; i < lines.size(); ++i) {
    draw_dots(svg, lines[i], left, top + kSwarmStep * (static_cast<double>(i) + 0.5), low, high);
  }
  const TextStyle small{.size = 11, .color = kFaint, .anchor = Anchor::middle};
  for (const double mark : {low, 0.0, high}) {
    const double x = left + (mark - low) / (high - low) * kSwarmWidth;
    const bool close = mark != 0 && std::abs(x - zero) < 40;
    if (!close) svg.text({x, bottom + 16}, mark == 0 ? "0" : fmt::format("{:+.3g}", mark), small);
  }
  if (!shades.empty()) draw_shades(svg, {left, bottom + 34}, shades);
  return svg;
}

std::string beeswarm_svg(const std::vector<SwarmLine>& lines, const std::string& title, const std::string& line,
                         const std::string& shades) {
  return beeswarm(lines, title, line, shades).finish();
}

}  // namespace ascribe::core
