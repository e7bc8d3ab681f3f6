#include "draw/series_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/axis.h"
#include "draw/bars.h"
#include "draw/diverging.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

constexpr double kSeriesGap = 10, kSeriesRange = 62, kSeriesSteps = 34;
constexpr double kSeriesName = 13, kSeriesSmall = 11;
constexpr size_t kSeriesLongest = 24;

double steps_of(const SeriesPlot& plot) {
  return plot.channels.empty() ? 0 : static_cast<double>(plot.channels[0].values.size());
}

void draw_shares(Svg& svg, Point corner, double width, double height, const SeriesChannel& channel, double limit) {
  const double step = width / static_cast<double>(std::max<size_t>(channel.shares.size(), 1));
  for (size_t i = 0; i < channel.shares.size() && limit > 0; ++i) {
    if (!channel.shares[i] || *channel.shares[i] == 0) continue;
    // A little wider than its step, so that no seams are seen.
    svg.rectangle({corner.x + step * static_cast<double>(i), corner.y}, step + (step > 3 ? 0 : 0.4), height,
                  hex(diverging(*channel.shares[i] / limit)));
  }
}

void draw_values(Svg& svg, Point corner, double width, double height, const std::vector<double>& values,
                 const SeriesInk& ink) {
  if (values.empty()) return;
  const auto ends = std::minmax_element(values.begin(), values.end());
  const double low = *ends.first, high = *ends.second, range = high - low;
  const double step = width / static_cast<double>(values.size());
  const auto place = [&](size_t i) {
    const double up = range > 0 ? (values[i] - low) / range : 0.5;
    return Point{corner.x + step * (static_cast<double>(i) + 0.5), corner.y + height - 6 - up * (height - 12)};
  };
  std::vector<std::pair<Point, Point>> segments;
  for (size_t i = 1; i < values.size(); ++i) segments.push_back({place(i - 1), place(i)});
  svg.segments(segments, {"#ffffff", 3.4, 0.8});
  svg.segments(segments, {"#222222", 1.6});
  if (values.size() <= 64) {
    for (size_t i = 0; i < values.size(); ++i) svg.circle(place(i), 2.2, "#222222", {"#ffffff", 0.6});
  }
  const double left = corner.x - 6;
  const TextStyle small{.size = kSeriesSmall, .color = ink.numbers, .anchor = Anchor::end};
  if (range > 0) {
    svg.text({left, corner.y + 11}, fmt::format("{:.3g}", high), small);
    svg.text({left, corner.y + height - 3}, fmt::format("{:.3g}", low), small);
  } else {
    svg.text({left, corner.y + height / 2 + 4}, fmt::format("{:.3g}", high), small);
  }
}

// Round numbers of steps, about eight of them.
void draw_steps(Svg& svg, Point corner, double width, int64_t steps, const SeriesInk& ink) {
  int64_t every = 1;
  for (int64_t power = 1; every * 10 < steps; power *= 10) {
    for (const int64_t round : {1, 2, 5}) {
      if (every * 10 < steps) every = round * power;
    }
  }
  const double step = width / static_cast<double>(std::max<int64_t>(steps, 1));
  for (int64_t i = 0; i < steps; i += every) {
    const double x = corner.x + step * (static_cast<double>(i) + 0.5);
    svg.line({x, corner.y}, {x, corner.y + 4}, {"#888888"});
    svg.text({x, corner.y + 16}, fmt::format("{}", i),
             {.size = kSeriesSmall, .color = ink.numbers, .anchor = Anchor::middle});
  }
  svg.text({corner.x + width / 2, corner.y + 30}, "step",
           {.size = kSeriesSmall, .color = ink.numbers, .anchor = Anchor::middle});
}

void draw_color_scale(Svg& svg, Point corner, double limit) {
  constexpr int kScaleCells = 40;
  constexpr double kScaleCell = 5;
  for (int i = 0; i < kScaleCells; ++i) {
    svg.rectangle({corner.x + kScaleCell * i, corner.y}, kScaleCell + 0.3, 12,
                  hex(diverging(2.0 * (i + 0.5) / kScaleCells - 1)));
  }
  const auto label = [&](double x, const std::string& text) {
    svg.text({corner.x + x, corner.y + 26}, text, {.size = kSeriesSmall, .color = kFaint, .anchor = Anchor::middle});
  };
  label(0, fmt::format("{:.3g}", -limit));
  label(kScaleCell * kScaleCells / 2, "0");
  label(kScaleCell * kScaleCells, fmt::format("{:.3g}", limit));
}

constexpr double kPanelHeight = 84, kPanelOfPage = 56, kScaleHeight = 44;

}  // namespace

SeriesSize series_size(const SeriesPlot& plot, double panel_height) {
  double names = 40;
  for (const SeriesChannel& channel : plot.channels) {
    names = std::max(names, text_width(shortened(channel.name, kSeriesLongest), kSeriesName));
  }
  const double width = std::clamp(steps_of(plot) * 14, 240.0, 900.0);
  const auto count = static_cast<double>(plot.channels.size());
  return {names + kSeriesRange, width, count * panel_height + (count - 1) * kSeriesGap + kSeriesSteps};
}

void draw_series_plot(Svg& svg, Point corner, const SeriesPlot& plot, const SeriesSize& size, const SeriesInk& ink) {
  const auto count = static_cast<double>(plot.channels.size());
  const double height = (size.height - kSeriesSteps - (count - 1) * kSeriesGap) / std::max(count, 1.0);
  const double left = corner.x + size.names;
  for (size_t c = 0; c < plot.channels.size(); ++c) {
    const double top = corner.y + static_cast<double>(c) * (height + kSeriesGap);
    svg.rectangle({left, top}, size.width, height, "#ffffff");
    draw_shares(svg, {left, top}, size.width, height, plot.channels[c], plot.limit);
    svg.rectangle({left, top}, size.width, height, "none", {.color = "#bbbbbb"});
    draw_values(svg, {left, top}, size.width, height, plot.channels[c].values, ink);
    svg.text({left - kSeriesRange, top + height / 2 + 5}, shortened(plot.channels[c].name, kSeriesLongest),
             {.size = kSeriesName, .color = ink.names, .anchor = Anchor::end});
  }
  draw_steps(svg, {left, corner.y + size.height - kSeriesSteps}, size.width, static_cast<int64_t>(steps_of(plot)), ink);
}

std::string series_svg(const SeriesPlot& plot, const std::string& title, const std::string& line) {
  const SeriesSize size = series_size(plot, kPanelHeight);
  Svg svg(std::max(2 * kMargin + size.names + size.width, head_width(title, line)),
          kHead + size.height + kScaleHeight + kMargin);
  head(svg, title, line);
  draw_series_plot(svg, {kMargin, kHead}, plot, size);
  const Point scale{kMargin + size.names + 12, kHead + size.height + 10};
  draw_color_scale(svg, scale, plot.limit);
  svg.text({scale.x + 236, scale.y + 11}, "red raises the output, blue lowers it",
           {.size = kSeriesSmall, .color = kFaint});
  return svg.finish();
}

Svg series_for_page(const SeriesPlot& plot, const SeriesInk& ink) {
  const SeriesSize size = series_size(plot, kPanelOfPage);
  Svg svg(size.names + size.width + 8, size.height + 4);
  draw_series_plot(svg, {0, 2}, plot, size, ink);
  return svg;
}

}  // namespace ascribe::core
