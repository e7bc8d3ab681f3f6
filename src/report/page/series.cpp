// A series as lines over time, and behind them what each method gives to every step of every channel.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/heat_map.h"
#include "draw/picture_text.h"
#include "draw/series_plot.h"
#include "report/page/sections.h"

namespace ascribe::core::page {

namespace {

constexpr int64_t kManySteps = 40;  // longer ones take the whole width
const SeriesInk kInk = {"currentColor", "var(--faint)"};

// What is behind the numbers: the map of the method, or what their players have.
std::vector<Number> shares_of(const Row& row, const MethodResult& method) {
  std::vector<Number> shares(row.series->size());
  for (size_t i = 0; i < shares.size(); ++i) {
    const int32_t owner = row.players.owner.empty() ? 0 : row.players.owner[i];
    if (owner < 0) continue;
    if (method.map) shares[i] = method.map->at(i);
    else if (!row.players.owner.empty()) shares[i] = method.values[static_cast<size_t>(owner)];
  }
  return shares;
}

SeriesPlot series_plot_of(const Row& row, const std::vector<Number>& shares) {
  const document::Series& series = *row.series;
  const auto steps = static_cast<size_t>(series.steps);
  SeriesPlot plot;
  for (size_t c = 0; c < series.channels.size(); ++c) {
    SeriesChannel& channel = plot.channels.emplace_back();
    channel.name = series.channels[c];
    for (size_t i = c * steps; i < (c + 1) * steps; ++i) {
      channel.values.push_back(series.values[i].value_or(0));
      channel.shares.push_back(shares[i]);
    }
  }
  plot.limit = robust_limit(shares);
  return plot;
}

void write_plot(Html& html, const Row& row, size_t index) {
  const MethodResult& method = row.methods[index];
  const SeriesPlot plot = series_plot_of(row, shares_of(row, method));
  html.in("figure", {{"class", "card series"}, {"data-method", std::to_string(index)}}, [&] {
    html.in("figcaption", {}, [&] {
      html.in("b", method.title);
      write_kind(html, row, method);
      html.in("span", {{"class", "faint"}},
              fmt::format(" sum {}, colours end at ±{}", signed_number_text(method.sum), number_text(plot.limit)));
    });
    html.drawing(series_for_page(plot, kInk), fmt::format("{} over the steps of {}", method.title, row.source));
  });
}

}  // namespace

// Of many channels those that have most.
void write_lines(Html& html, const Row& row, const MethodResult& method) {
  constexpr size_t kMostChannels = 4;
  SeriesPlot plot = series_plot_of(row, shares_of(row, method));
  const size_t all = plot.channels.size();
  const auto size_of = [](const SeriesChannel& channel) {
    double size = 0;
    for (const auto& share : channel.shares) size += std::abs(share.value_or(0));
    return size;
  };
  if (all > kMostChannels) {
    std::stable_sort(plot.channels.begin(), plot.channels.end(),
                     [&](const SeriesChannel& a, const SeriesChannel& b) { return size_of(a) > size_of(b); });
    plot.channels.resize(kMostChannels);
  }
  html.drawing(series_for_page(plot, kInk), fmt::format("{} over the steps of {}", method.title, row.source));
  if (all > kMostChannels) {
    html.in("p", {{"class", "faint"}}, fmt::format("The {} strongest of {} channels.", kMostChannels, all));
  }
}

void write_input_series(Html& html, const Row& row) {
  const SeriesPlot plot = series_plot_of(row, std::vector<Number>(row.series->size()));
  html.in("figure", {{"class", "input-picture"}}, [&] {
    html.drawing(series_for_page(plot, kInk), "The input " + row.source);
    html.in("figcaption", row.source);
  });
}

void write_series(Html& html, const RowPage& page) {
  const Row& row = page.row;
  const std::string how =
      "Each channel of the input is a line over time. The colours behind it are one method’s answer for every step: "
      "red "
      "raises the result, blue lowers it, white does nothing. Every method has colours of its own scale. Methods "
      "marked "
      "“own units” show where the model reacts, not how much each step adds.";
  section(html, page.id("maps"), "All methods side by side", how, [&] {
    html.in("div", {{"class", row.series->steps > kManySteps ? "maps strips" : "over-time"}}, [&] {
      for (size_t i = 0; i < row.methods.size(); ++i) write_plot(html, row, i);
    });
    write_left_out(html, row);
  });
}

}  // namespace ascribe::core::page
