#include "report/attribution_pictures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/finite.h"
#include "draw/bars.h"
#include "draw/diverging.h"
#include "draw/picture_text.h"
#include "draw/series_plot.h"
#include "study/pixels.h"
#include "study/series.h"
#include "study/token_values.h"

namespace ascribe::core {

namespace {

constexpr int64_t kPanel = 224;  // pixels that the longer side of an image takes on the sheet, about
constexpr size_t kAcross = 5;    // panels in a line: the input and fourteen methods make three
constexpr size_t kMostBars = 30;
constexpr double kUnder = 62;  // what is written under a panel

std::string total_text(const MethodPicture& picture) {
  const Attribution& a = picture.attribution;
  if (picture.method.kind == AttributionKind::sensitivity) return "slopes of the output";
  const bool change = picture.method.total == Total::change;
  if (change && !std::isfinite(a.baseline_output)) {
    return fmt::format("sum {}; f(b) is {}", signed_text(a.sum()), number_in_words(a.baseline_output));
  }
  return fmt::format("sum {} of {} = {}", signed_text(a.sum()), change ? "f(x) - f(b)" : "f(x)",
                     signed_text(change ? a.output - a.baseline_output : a.output));
}

std::string head_line(const MethodPicture& picture) {
  const Attribution& a = picture.attribution;
  std::string line = fmt::format("{}: {}", picture.method.title, total_text(picture));
  const bool shares = picture.method.kind == AttributionKind::contribution;
  if (shares && std::isfinite(a.residual)) line += ", residual " + signed_text(a.residual);
  if (!a.standard_errors.empty()) {
    line += fmt::format(", 95 % intervals up to ±{:.2g}", symmetric_limit(a.intervals()));
  }
  return line;
}

PixelValues values_of(const MethodPicture& picture, const Players& players) {
  return study::pixel_values(picture.method, picture.attribution, players);
}

// "±0.12", what lies beyond, and how far it can be relied on.
std::string limit_text(const PixelValues& values, const Attribution& a) {
  const double limit = robust_limit(values), most = largest(values);
  std::string text = fmt::format("±{:.3g}", limit);
  if (most > limit) text += fmt::format(", largest {:.3g}", most);
  if (!a.standard_errors.empty()) text += fmt::format(", 95 %: ±{:.2g}", symmetric_limit(a.intervals()));
  return text;
}

const Image& input_of(const AttributionPictures& pictures) {
  require(pictures.input && pictures.players.image && pictures.input->height == pictures.players.image->height &&
              pictures.input->width == pictures.players.image->width,
          "pictures", "there is no image of the players' size");
  return *pictures.input;
}

// ---- bars ----

double error_of(const Attribution& a, size_t player) { return a.standard_errors.empty() ? 0 : a.intervals()[player]; }

std::vector<size_t> ranked(const std::vector<double>& weights, size_t most) {
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t i, size_t j) { return std::abs(weights[i]) > std::abs(weights[j]); });
  order.resize(std::min(order.size(), most));
  return order;
}

std::string method_bars_svg(const AttributionPictures& pictures, const MethodPicture& picture) {
  const Attribution& a = picture.attribution;
  std::vector<Bar> bars;
  for (const size_t p : ranked(a.values, kMostBars)) bars.push_back({pictures.labels[p], a.values[p], error_of(a, p)});
  std::string line = head_line(picture);
  if (a.values.size() > kMostBars) line += fmt::format("; the {} largest of {}", kMostBars, a.values.size());
  return bars_svg(bars, pictures.title, line, "there are no players");
}

// Those that matter to the methods, each method having as much to say as the others; in their own order.
std::vector<size_t> shown_players(const AttributionPictures& pictures) {
  std::vector<double> weights(static_cast<size_t>(pictures.players.count()), 0.0);
  for (const MethodPicture& picture : pictures.methods) {
    const std::vector<double>& values = picture.attribution.values;
    const double limit = symmetric_limit(values);
    for (size_t p = 0; p < values.size() && limit > 0; ++p) weights[p] += std::abs(values[p]) / limit;
  }
  std::vector<size_t> shown = ranked(weights, kMostBars);
  std::sort(shown.begin(), shown.end());
  return shown;
}

void bar_panel(Svg& svg, Point corner, double width, const MethodPicture& picture, const std::vector<size_t>& players,
               double step) {
  const Attribution& a = picture.attribution;
  const double limit = symmetric_limit(a.values), zero = corner.x + width / 2;
  const double height = step * static_cast<double>(players.size());
  svg.rectangle(corner, width, height, "#fafafa", {.color = "#cccccc"});
  for (size_t i = 0; i < players.size() && limit > 0; ++i) {
    const double value = a.values[players[i]], length = std::abs(value) / limit * (width / 2 - 4);
    svg.rectangle({value < 0 ? zero - length : zero, corner.y + step * static_cast<double>(i) + 3}, length, step - 6,
                  color_of_sign(value));
  }
  svg.line({zero, corner.y}, {zero, corner.y + height}, {.color = "#222222"});
  svg.text({corner.x, corner.y + height + 20}, picture.method.title, {.size = 14, .bold = true});
  svg.text({corner.x, corner.y + height + 38}, fmt::format("±{:.3g}", limit), {.size = 12, .color = "#444444"});
}

size_t lines_of(size_t panels) { return (panels + kAcross - 1) / kAcross; }

std::string sheet_of_bars(const AttributionPictures& pictures) {
  constexpr double kStep = 20, kWidth = 170;
  const std::vector<size_t> players = shown_players(pictures);
  size_t longest = 4;
  for (const size_t p : players) longest = std::max(longest, std::min<size_t>(32, pictures.labels[p].size()));
  const double names = kMargin + 7.4 * static_cast<double>(longest);
  const double height = kStep * static_cast<double>(players.size());
  const size_t across = std::min(kAcross, pictures.methods.size());
  const std::string line =
      fmt::format("Red raises the output, blue lowers it. Each panel has its own scale, written below it{}",
                  pictures.players.count() > std::ssize(players)
                      ? fmt::format("; {} of {} players", players.size(), pictures.players.count())
                      : std::string());
  Svg svg(
      std::max(names + (kWidth + kMargin) * static_cast<double>(across) + kMargin, head_width(pictures.title, line)),
      kHead + (height + kUnder) * static_cast<double>(lines_of(pictures.methods.size())) + 8);
  head(svg, pictures.title, line);
  for (size_t i = 0; i < pictures.methods.size(); ++i) {
    const double top = kHead + (height + kUnder) * static_cast<double>(i / kAcross);
    const double left = names + 12 + (kWidth + kMargin) * static_cast<double>(i % kAcross);
    for (size_t k = 0; k < players.size() && i % kAcross == 0; ++k) {
      svg.text({names, top + kStep * static_cast<double>(k) + 14}, shortened(pictures.labels[players[k]], 32),
               {.size = 12, .anchor = Anchor::end});
    }
    bar_panel(svg, {left, top}, kWidth, pictures.methods[i], players, kStep);
  }
  return svg.finish();
}

// ---- text ----

constexpr double kTextWidth = 860;

std::vector<ColoredToken> tokens_of(const AttributionPictures& pictures, size_t method) {
  return study::colored_tokens(pictures.methods[method].method, pictures.methods[method].attribution, pictures.players,
                               *pictures.tokens);
}

std::string scale_text(const std::vector<ColoredToken>& tokens) {
  return fmt::format("red raises the output, blue lowers it; the darkest colours are ±{:.3g}", largest_value(tokens));
}

std::string method_text_svg(const AttributionPictures& pictures, size_t method) {
  const std::vector<ColoredToken> tokens = tokens_of(pictures, method);
  const std::string line = head_line(pictures.methods[method]);
  const double height = token_text_height(tokens, kTextWidth);
  Svg svg(std::max(kTextWidth + 2 * kMargin, head_width(pictures.title, line)), kHead + height + 50);
  head(svg, pictures.title, line);
  token_text(svg, {kMargin, kHead}, kTextWidth, tokens, largest_value(tokens));
  svg.text({kMargin, kHead + height + 20}, scale_text(tokens), {.size = 13, .color = kFaint});
  return svg.finish();
}

std::string sheet_of_texts(const AttributionPictures& pictures) {
  constexpr double kTitle = 24, kBelow = 22;
  const std::string line =
      "Red raises the output, blue lowers it. Each text has its own scale, written beside its name";
  double height = kHead;
  for (size_t i = 0; i < pictures.methods.size(); ++i) {
    height += kTitle + token_text_height(tokens_of(pictures, i), kTextWidth) + kBelow;
  }
  Svg svg(std::max(kTextWidth + 2 * kMargin, head_width(pictures.title, line)), height + 8);
  head(svg, pictures.title, line);
  double y = kHead;
  for (size_t i = 0; i < pictures.methods.size(); ++i) {
    const std::vector<ColoredToken> tokens = tokens_of(pictures, i);
    svg.text({kMargin, y + 14}, fmt::format("{}  ±{:.3g}", pictures.methods[i].method.title, largest_value(tokens)),
             {.size = 14, .bold = true});
    token_text(svg, {kMargin, y + kTitle}, kTextWidth, tokens, largest_value(tokens));
    y += kTitle + token_text_height(tokens, kTextWidth) + kBelow;
  }
  return svg.finish();
}

// ---- series ----

// The row as lines; behind each step what the method gives to it. A player's value is shown at all its elements.
SeriesPlot series_plot(const AttributionPictures& pictures, const MethodPicture& picture) {
  const ImageShape& series = *pictures.players.series;
  SeriesPlot plot;
  PixelValues all;
  for (int64_t c = 0; c < series.channels; ++c) {
    SeriesChannel& channel = plot.channels.emplace_back();
    channel.name = pictures.players.channels[static_cast<size_t>(c)];
    channel.values = study::by_channel(series, c, [&](int64_t i) { return pictures.x->at(i); });
    channel.shares = study::by_channel(series, c, [&](int64_t i) {
      return pictures.players.owner[static_cast<size_t>(i)] < 0 ? std::optional<double>()
                                                                : picture.attribution.elements.at(i);
    });
    all.insert(all.end(), channel.shares.begin(), channel.shares.end());
  }
  plot.limit = robust_limit(all);
  return plot;
}

bool is_series(const AttributionPictures& pictures) { return pictures.x != nullptr && pictures.players.series; }

std::string sheet_of_series(const AttributionPictures& pictures) {
  constexpr double kPanelOfSheet = 40;
  constexpr size_t kAbreast = 2;
  std::vector<SeriesPlot> plots;
  for (const MethodPicture& picture : pictures.methods) plots.push_back(series_plot(pictures, picture));
  SeriesSize size = series_size(plots[0], kPanelOfSheet);
  size.width = std::min(size.width, 460.0);
  const double step = size.names + size.width + kMargin, height = size.height + kUnder;
  const size_t across = std::min(kAbreast, plots.size());
  const std::string line = "Red raises the output, blue lowers it. Each panel has its own scale, written below it";
  Svg svg(std::max(kMargin + step * static_cast<double>(across), head_width(pictures.title, line)),
          kHead + height * static_cast<double>((plots.size() + kAbreast - 1) / kAbreast) + 8);
  head(svg, pictures.title, line);
  for (size_t i = 0; i < plots.size(); ++i) {
    const Point corner{kMargin + step * static_cast<double>(i % kAbreast),
                       kHead + height * static_cast<double>(i / kAbreast)};
    draw_series_plot(svg, corner, plots[i], size);
    svg.text({corner.x + size.names, corner.y + size.height + 16}, pictures.methods[i].method.title,
             {.size = 14, .bold = true});
    svg.text({corner.x + size.names, corner.y + size.height + 32}, fmt::format("±{:.3g}", plots[i].limit),
             {.size = 12, .color = "#444444"});
  }
  return svg.finish();
}

// ---- maps ----

std::string sheet_of_maps(const AttributionPictures& pictures) {
  const Image& input = input_of(pictures);
  const int64_t factor = enlargement(input.height, input.width, kPanel);
  const double shrink = std::min(1.0, kPanel / static_cast<double>(factor * std::max(input.height, input.width)));
  const double width = shrink * static_cast<double>(factor * input.width);
  const double height = shrink * static_cast<double>(factor * input.height);
  const size_t panels = pictures.methods.size() + 1, across = std::min(kAcross, panels);
  const std::string line = fmt::format(
      "Red raises the output, blue lowers it; the input shines through in gray. Scales, one per map: the magnitude "
      "that "
      "{:g} % of the pixels do not exceed",
      100 * kShownShare);
  const double step = std::max(width, 200.0) + kMargin;
  Svg svg(std::max(kMargin + step * static_cast<double>(across), head_width(pictures.title, line)),
          kHead + (height + kUnder) * static_cast<double>(lines_of(panels)) + 8);
  head(svg, pictures.title, line);
  for (size_t i = 0; i < panels; ++i) {
    const Point corner{kMargin + step * static_cast<double>(i % kAcross),
                       kHead + (height + kUnder) * static_cast<double>(i / kAcross)};
    std::string name = "Input", limit;
    Image panel = input;
    if (i > 0) {
      const PixelValues values = values_of(pictures.methods[i - 1], pictures.players);
      panel = heat_map(input, values, robust_limit(values));
      name = pictures.methods[i - 1].method.title;
      limit = limit_text(values, pictures.methods[i - 1].attribution);
    }
    svg.image(corner, width, height, enlarged(panel, factor));
    svg.rectangle(corner, width, height, "none", {.color = "#bbbbbb"});
    svg.text({corner.x, corner.y + height + 20}, name, {.size = 14, .bold = true});
    svg.text({corner.x, corner.y + height + 38}, limit, {.size = 12, .color = "#444444"});
  }
  return svg.finish();
}

std::string method_map_svg(const AttributionPictures& pictures, size_t method) {
  const Image& input = input_of(pictures);
  const MethodPicture& picture = pictures.methods[method];
  const PixelValues values = values_of(picture, pictures.players);
  const int64_t factor = enlargement(input.height, input.width);
  const double width = static_cast<double>(factor * input.width), height = static_cast<double>(factor * input.height);
  const std::string line = head_line(picture);
  const std::string below =
      fmt::format("red raises the output, blue lowers it; scale {}", limit_text(values, picture.attribution));
  const Point right{2 * kMargin + width, kHead};
  Svg svg(std::max({right.x + width + 130, head_width(pictures.title, line), right.x + head_width("", below)}),
          kHead + height + kMargin + 40);
  head(svg, pictures.title, line);
  svg.image({kMargin, kHead}, width, height, enlarged(input, factor));
  svg.image(right, width, height, attribution_map(pictures, method));
  svg.rectangle(right, width, height, "none", {.color = "#bbbbbb"});
  color_bar(svg, {right.x + width + 16, kHead}, height, robust_limit(values));
  svg.text({kMargin, kHead + height + 20}, "input", {.size = 13, .color = kFaint});
  svg.text({right.x, kHead + height + 20}, below, {.size = 13, .color = kFaint});
  if (largest(values) > robust_limit(values)) {
    svg.text({right.x, kHead + height + 38},
             fmt::format("the scale ends where {:g} % of the pixels do; those beyond have its darkest colours",
                         100 * kShownShare),
             {.size = 13, .color = kFaint});
  }
  return svg.finish();
}

}  // namespace

Image attribution_map(const AttributionPictures& pictures, size_t method) {
  const Image& input = input_of(pictures);
  const PixelValues values = values_of(pictures.methods[method], pictures.players);
  return enlarged(heat_map(input, values, robust_limit(values)), enlargement(input.height, input.width));
}

std::string attribution_svg(const AttributionPictures& pictures, size_t method) {
  if (pictures.tokens != nullptr) return method_text_svg(pictures, method);
  if (pictures.input) return method_map_svg(pictures, method);
  const MethodPicture& picture = pictures.methods[method];
  if (is_series(pictures)) return series_svg(series_plot(pictures, picture), pictures.title, head_line(picture));
  return method_bars_svg(pictures, picture);
}

std::string contact_sheet_svg(const AttributionPictures& pictures) {
  if (pictures.tokens != nullptr) return sheet_of_texts(pictures);
  if (pictures.input) return sheet_of_maps(pictures);
  return is_series(pictures) ? sheet_of_series(pictures) : sheet_of_bars(pictures);
}

}  // namespace ascribe::core
