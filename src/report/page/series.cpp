// A series as lines over time, and behind them what each method gives to every step of every channel.
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
      if (!method.contributes()) html.in("span", {{"class", "tag"}}, "sensitivity");
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
      "behind it show what one method gives to every step: red raises the output, blue lowers it, white does nothing. "
      "At the right is what the channel got in all. Every method has colours of its own scale, whose ends are written "
      "below it. Where there are more steps than columns of pixels, the strongest of them is seen. Methods marked "
      "“sensitivity” say how the output reacts to small changes, in units of their own. Point at a step, or go there "
      "with Tab and the arrow keys, to read its value.";
  section(html, page.id("maps"), "The methods over time", how, [&] {
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
    for (const LeftOut& left : row.left_out) {
      html.in("p", {{"class", "faint"}}, fmt::format("Left out: {}: {}", left.method, left.reason));
    }
  });
}

}  // namespace ascribe::core::page
