// A series as lines over time, a panel per channel, with colours behind them that say what each step received.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace ascribe::core {

struct SeriesChannel {
  std::string name;
  std::vector<double> values;                 // one per step
  std::vector<std::optional<double>> shares;  // what is behind each step; nothing: white
};

struct SeriesPlot {
  std::vector<SeriesChannel> channels;
  double limit = 0;  // of the shares: the darkest colour
};

struct SeriesSize {
  double names = 0, width = 0, height = 0;  // of the names at the left, of the steps, and of all channels
};
// Between 240 and 900 wide, by the number of steps.
SeriesSize series_size(const SeriesPlot& plot, double panel_height);
struct SeriesInk {
  std::string names = "#222222", numbers = "#777777";
};
// With names, the range of each channel and the numbers of the steps below.
void draw_series_plot(Svg& svg, Point corner, const SeriesPlot& plot, const SeriesSize& size,
                      const SeriesInk& ink = {});

// A page with a head of two lines and a scale of colours.
std::string series_svg(const SeriesPlot& plot, const std::string& title, const std::string& line);
// The same plot for a page, which brings its own words and colours of letters.
Svg series_for_page(const SeriesPlot& plot, const SeriesInk& ink);

}  // namespace ascribe::core
