#include "report/page/tracks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/diverging.h"

namespace ascribe::core::page {

namespace {

constexpr double kWide = 1000, kHigh = 100, kAir = 8;   // of a line's own coordinates
constexpr size_t kMostColumns = 1200, kMostBins = 600;  // beyond them several steps share a column
constexpr size_t kDotted = 64;                          // so many steps are seen one by one
constexpr size_t kManyChannels = 8;                     // more are drawn lower

struct Range {
  Number low, high;
};

// In few digits, for the edges of plots.
std::string short_text(double value, bool sign = false) {
  return sign && value != 0 ? fmt::format("{:+.3g}", value) : fmt::format("{:.3g}", value);
}

Range range_of(std::span<const Number> values) {
  Range range;
  for (const Number& value : values) {
    if (!value) continue;
    range.low = std::min(range.low.value_or(*value), *value);
    range.high = std::max(range.high.value_or(*value), *value);
  }
  return range;
}

std::span<const Number> channel_of(const document::Series& series, size_t channel) {
  const auto steps = static_cast<size_t>(series.steps);
  return std::span(series.values).subspan(channel * steps, steps);
}

// A line through the values; where there are very many, through the lowest and the highest of each bin. Numbers that
// are not there leave a gap.
std::string line_path(std::span<const Number> values) {
  const Range range = range_of(values);
  if (!range.low) return "";
  const double unit = *range.high > *range.low ? (kHigh - 2 * kAir) / (*range.high - *range.low) : 0;
  const auto y = [&](double value) { return unit == 0 ? kHigh / 2 : kHigh - kAir - unit * (value - *range.low); };
  const double step = kWide / static_cast<double>(values.size());
  std::string path;
  bool pen_down = false;
  const auto to = [&](double x, double value) {
    path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y(value));
    pen_down = true;
  };
  if (values.size() == 1) return fmt::format("M0 {0:.1f}H{1}", y(*values[0]), kWide);
  const size_t bin = values.size() > 2 * kMostBins ? (values.size() + kMostBins - 1) / kMostBins : 1;
  for (size_t at = 0; at < values.size(); at += bin) {
    const std::span<const Number> some = values.subspan(at, std::min(bin, values.size() - at));
    const Range here = range_of(some);
    if (!here.low) {
      pen_down = false;
      continue;
    }
    const double x = step * (static_cast<double>(at) + static_cast<double>(some.size()) / 2);
    to(x, *here.low);
    if (bin > 1) to(x, *here.high);
  }
  return path;
}

// Dots on a line, each a stroke of no length with round ends.
std::string dots_path(std::span<const Number> values) {
  if (values.size() > kDotted || values.size() < 2) return "";
  const Range range = range_of(values);
  const double step = kWide / static_cast<double>(values.size());
  std::string path;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    const double unit = *range.high > *range.low ? (kHigh - 2 * kAir) / (*range.high - *range.low) : 0;
    const double y = unit == 0 ? kHigh / 2 : kHigh - kAir - unit * (*values[i] - *range.low);
    path += fmt::format("M{:.1f} {:.1f}h0", step * (static_cast<double>(i) + 0.5), y);
  }
  return path;
}

// A row of pixels, a column for each step; of several in one column the strongest is seen.
Image stripe_of(std::span<const Number> shares, double limit) {
  const size_t bin = (shares.size() + kMostColumns - 1) / kMostColumns;
  Image image{1, static_cast<int64_t>((shares.size() + bin - 1) / bin), 3, {}, false};
  for (size_t at = 0; at < shares.size(); at += bin) {
    double strongest = 0;
    for (size_t i = at; i < std::min(at + bin, shares.size()); ++i) {
      if (std::abs(shares[i].value_or(0)) > std::abs(strongest)) strongest = *shares[i];
    }
    for (const double channel : diverging(limit > 0 ? std::clamp(strongest / limit, -1.0, 1.0) : 0)) {
      image.pixels.push_back(static_cast<float>(channel));
    }
  }
  return image;
}

std::string line_id(const Tracks& tracks, size_t channel) { return fmt::format("{}-line{}", tracks.id, channel); }

void write_track(Html& html, const Tracks& tracks, size_t channel, const Shares& all) {
  const auto steps = static_cast<size_t>(tracks.series.steps);
  const auto shares =
      all.numbers.empty() ? std::span<const Number>() : std::span(all.numbers).subspan(channel * steps, steps);
  const std::span<const Number> values = channel_of(tracks.series, channel);
  const Range range = range_of(values);
  html.in("div", {{"class", "lane"}, {"data-channel", std::to_string(channel)}}, [&] {
    html.in("div", {{"class", "lane-name"}}, [&] {
      html.in("b", tracks.series.channels[channel]);
      html.in("span", {{"class", "faint"}},
              !range.low                  ? std::string("no numbers")
              : *range.low == *range.high ? short_text(*range.low)
                                          : fmt::format("{} to {}", short_text(*range.low), short_text(*range.high)));
    });
    html.in("div", {{"class", "lane-plot"}}, [&] {
      if (!shares.empty()) {
        html.single("img", {{"class", "lane-heat"}, {"src", data_uri(stripe_of(shares, all.limit))}, {"alt", ""}});
      }
      html.in("svg", {{"viewBox", "0 0 1000 100"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}}, [&] {
        if (tracks.id.empty()) {
          html.in("path", {{"d", line_path(values)}, {"class", "lane-line"}}, "");
          if (values.size() <= kDotted) html.in("path", {{"d", dots_path(values)}, {"class", "lane-dots"}}, "");
          return;
        }
        const std::string line = "#" + line_id(tracks, channel);
        html.in("use", {{"href", line}, {"class", "lane-halo"}}, "");
        html.in("use", {{"href", line}, {"class", "lane-line"}}, "");
        if (values.size() <= kDotted) html.in("use", {{"href", line + "-dots"}, {"class", "lane-dots"}}, "");
      });
    });
    if (shares.empty()) return;
    html.in("div", {{"class", "lane-sum number"}},
            all.sums.empty() ? std::string() : short_text(all.sums[channel].value_or(0), true));
  });
}

// Round numbers of steps, few enough for a phone.
void write_steps(Html& html, int64_t steps) {
  constexpr int64_t kTicks = 6;
  int64_t every = 1;
  while (every * kTicks < steps) {
    const int64_t power = static_cast<int64_t>(std::pow(10, std::floor(std::log10(static_cast<double>(every)) + 1e-9)));
    every = every == power ? 2 * power : every == 2 * power ? 5 * power : 10 * power;
  }
  html.in("div", {{"class", "lane lane-steps"}, {"aria-hidden", "true"}}, [&] {
    html.in("div", {{"class", "lane-name faint"}}, "step");
    html.in("div", {{"class", "ticks"}}, [&] {
      for (int64_t i = 0; i < steps; i += every) {
        const double at = 100 * (static_cast<double>(i) + 0.5) / static_cast<double>(steps);
        html.in("span", {{"style", fmt::format("left:{:.2f}%", at)}}, std::to_string(i));
      }
    });
  });
}

}  // namespace

void write_lines(Html& html, const Tracks& tracks) {
  html.in("svg", {{"class", "lines"}, {"aria-hidden", "true"}, {"width", "0"}, {"height", "0"}}, [&] {
    html.in("defs", {}, [&] {
      for (size_t c = 0; c < tracks.series.channels.size(); ++c) {
        const std::span<const Number> values = channel_of(tracks.series, c);
        html.in("path", {{"id", line_id(tracks, c)}, {"d", line_path(values)}}, "");
        if (values.size() <= kDotted) {
          html.in("path", {{"id", line_id(tracks, c) + "-dots"}, {"d", dots_path(values)}}, "");
        }
      }
    });
  });
}

void write_tracks(Html& html, const Tracks& tracks, const Shares& shares) {
  const size_t channels = tracks.series.channels.size();
  const size_t shown = tracks.most_channels == 0 ? channels : std::min(channels, tracks.most_channels);
  html.in("div",
          {{"class", shown > kManyChannels ? "lanes many" : "lanes"},
           {"role", "group"},
           {"aria-label", tracks.label},
           {"tabindex", shares.numbers.empty() || !tracks.read_out ? "-1" : "0"}},
          [&] {
            for (size_t c = 0; c < shown; ++c) write_track(html, tracks, c, shares);
            write_steps(html, tracks.series.steps);
          });
  if (shown < channels) {
    html.in("p", {{"class", "faint"}}, fmt::format("and {} more below", plural(channels - shown, "channel")));
  }
}

void write_ramp(Html& html, double limit, bool words) {
  const auto end = [](double value) { return short_text(value, true); };
  html.in("div", {{"class", "scale"}, {"aria-hidden", "true"}}, [&] {
    html.in("span", {{"class", "low"}}, (words ? "lowers " : "") + end(-limit));
    html.in("span", {{"class", "ramp"}}, "");
    html.in("span", {{"class", "high"}}, end(limit) + (words ? " raises" : ""));
  });
}

std::vector<Number> sums_of_channels(const document::Series& series, const std::vector<Number>& shares,
                                     const std::vector<int32_t>& owner, const std::vector<Number>& values,
                                     const Number& sum) {
  constexpr double kRounding = 1e-3;  // of what a map keeps
  const auto steps = static_cast<size_t>(series.steps);
  double all = 0, strength = 0;
  std::vector<double> shown(series.channels.size(), 0.0), owned(series.channels.size(), 0.0);
  std::vector<int64_t> home(values.size(), -1);
  bool apart = true;
  for (size_t i = 0; i < shares.size(); ++i) {
    const size_t channel = i / steps;
    shown[channel] += shares[i].value_or(0);
    all += shares[i].value_or(0);
    strength += std::abs(shares[i].value_or(0));
    if (owner.empty() || owner[i] < 0) continue;
    int64_t& own = home[static_cast<size_t>(owner[i])];
    if (own < 0) owned[channel] += values[static_cast<size_t>(owner[i])].value_or(0);
    else apart = apart && own == static_cast<int64_t>(channel);
    own = static_cast<int64_t>(channel);
  }
  if (sum && std::abs(all - *sum) <= kRounding * strength) return {shown.begin(), shown.end()};
  if (apart && !owner.empty()) return {owned.begin(), owned.end()};
  return {};
}

std::vector<Number> shares_of_series(size_t count, const std::vector<int32_t>& owner, const std::optional<Map>& map,
                                     const std::vector<Number>& values) {
  std::vector<Number> shares(count);
  for (size_t i = 0; i < count; ++i) {
    const int32_t player = owner.empty() ? 0 : owner[i];
    if (player < 0) continue;
    if (map) shares[i] = map->at(i);
    else if (!owner.empty()) shares[i] = values[static_cast<size_t>(player)];
  }
  return shares;
}

std::string strongest_player_text(const PlayerList& players, const std::vector<Number>& values,
                                  const std::vector<size_t>& among) {
  std::optional<size_t> best;
  const auto see = [&](size_t p) {
    if (!best || std::abs(values[p].value_or(0)) > std::abs(values[*best].value_or(0))) best = p;
  };
  for (size_t p = 0; among.empty() && p < values.size(); ++p) see(p);
  for (const size_t p : among) see(p);
  if (!best || values[*best].value_or(0) == 0) return "";
  return fmt::format("strongest: {}, {}", players.names[*best], signed_number_text(values[*best]));
}

}  // namespace ascribe::core::page
