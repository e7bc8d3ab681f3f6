// A series as lines over time, and behind them what each method gives to every step of every channel.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "draw/heat_map.h"
#include "report/page/region.h"
#include "report/page/tracks.h"

namespace ascribe::core::page {

namespace {

constexpr size_t kChannelsOfInput = 6;  // that are shown beside the prediction

void write_plot(Html& html, const RowPage& page, size_t index) {
  const Row& row = page.row;
  const MethodResult& method = row.methods[index];
  const std::vector<Number> shares = shares_of_series(row.series->size(), row.players.owner, method.map, method.values);
  const double limit = robust_limit(shares);
  const std::string strongest = strongest_player_text(row.players, method.values);
  html.in("figure", {{"class", "card series"}, {"data-method", std::to_string(index)}}, [&] {
    html.in("figcaption", {}, [&] {
      html.in("b", method.title);
      write_kind(html, row, method);
      html.in("span", {{"class", "faint"}},
              strongest.empty() ? std::string("gives nothing to any step")
                                : fmt::format("sum {}; {}", signed_number_text(method.sum), strongest));
    });
    write_tracks(html,
                 {*row.series, page.id("series"),
                  fmt::format("{} over the steps of {}{}{}", method.title, row.source, strongest.empty() ? "" : "; ",
                              strongest)},
                 {shares, limit, sums_of_channels(*row.series, shares, row.players.owner, method.values, method.sum)});
    write_ramp(html, limit);
  });
}

}  // namespace

// Of many channels those that have most.
void write_lines(Html& html, const Row& row, const MethodResult& method) {
  constexpr size_t kMostChannels = 4;
  const document::Series& series = *row.series;
  const auto steps = static_cast<size_t>(series.steps);
  const std::vector<Number> shares = shares_of_series(series.size(), row.players.owner, method.map, method.values);
  std::vector<double> sizes(series.channels.size(), 0);
  for (size_t i = 0; i < shares.size(); ++i) sizes[i / steps] += std::abs(shares[i].value_or(0));
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (order.size() > kMostChannels) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
    order.resize(kMostChannels);
  }
  document::Series shown{series.steps, {}, {}};
  std::vector<Number> own;
  for (const size_t channel : order) {
    const auto from = static_cast<std::ptrdiff_t>(channel * steps), to = from + series.steps;
    shown.channels.push_back(series.channels[channel]);
    shown.values.insert(shown.values.end(), series.values.begin() + from, series.values.begin() + to);
    own.insert(own.end(), shares.begin() + from, shares.begin() + to);
  }
  write_tracks(html, {shown, "", fmt::format("{} over the steps of {}", method.title, row.source)},
               {own, robust_limit(shares), {}});
  if (order.size() < sizes.size()) {
    html.in("p", {{"class", "faint"}}, fmt::format("The {} strongest of {} channels.", order.size(), sizes.size()));
  }
}

void write_input_series(Html& html, const Row& row) {
  html.in("figure", {{"class", "input-picture input-series"}}, [&] {
    write_tracks(html, {*row.series, "", "The input " + row.source, kChannelsOfInput}, {});
    html.in("figcaption", row.source);
  });
}

void write_series(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "Each channel of the input is a line over time, drawn between its own lowest and highest number. The colours "
      "behind it are one method’s answer for every step: red raises the result, blue lowers it, white does nothing. At "
      "the right is what the channel got in all. Every method has colours of its own scale, whose ends are written "
      "below it. Where there are more steps than columns of pixels, the strongest of them is seen. Methods marked “own "
      "units” show where the model reacts, not how much each step adds. Point at a step, or go there with Tab and the "
      "arrow keys, to read its value.";
  section(html, page.id("maps"), "All methods side by side", how, [&] {
    write_region(html, page);
    html.in("div", {{"class", "readout over-steps"}, {"hidden", ""}}, [&] {
      html.in("p", {{"class", "place"}, {"aria-live", "polite"}},
              "Point at a step, or go to a plot with Tab and move with the arrow keys.");
      html.in("ul", {{"class", "step-values"}}, "");
    });
    write_lines(html, {*row.series, page.id("series"), ""});
    const bool wide = row.series->steps > 40 || row.series->channels.size() > 8;
    html.in("div", {{"class", wide ? "over-time wide" : "over-time"}}, [&] {
      for (size_t i = 0; i < row.methods.size(); ++i) write_plot(html, page, i);
    });
    write_left_out(html, row);
  });
}

}  // namespace ascribe::core::page
