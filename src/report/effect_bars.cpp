// Effects as bars: for inputs that are not images, and by number of players.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "draw/bars.h"
#include "draw/diverging.h"
#include "draw/picture_text.h"
#include "draw/svg.h"
#include "report/effect_pictures.h"

namespace ascribe::core {

namespace {

// Bars from a zero line, one per order. `marks`: a tick on each.
void order_panel(Svg& svg, Point corner, const std::string& heading, const std::vector<double>& values,
                 const std::vector<double>& marks) {
  constexpr double kHeight = 180, kStep = 56, kBar = 34;
  svg.text({corner.x, corner.y}, heading, {.size = 14, .bold = true});
  const double top = corner.y + 30;
  const double highest = std::max(0.0, *std::max_element(values.begin(), values.end()));
  const double lowest = std::min(0.0, *std::min_element(values.begin(), values.end()));
  const double unit = highest > lowest ? kHeight / (highest - lowest) : 0;
  const double zero = top + highest * unit;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = corner.x + kStep * static_cast<double>(i) + (kStep - kBar) / 2,
                 length = std::abs(values[i]) * unit;
    svg.rectangle({x, values[i] < 0 ? zero : zero - length}, kBar, length,
                  marks.empty() ? color_of_sign(values[i]) : "#6b6b6b");
    svg.text({x + kBar / 2, values[i] < 0 ? zero + length + 15 : zero - length - 5},
             std::abs(values[i]) < 1e-3 * symmetric_limit(values) ? "≈0" : fmt::format("{:.3g}", values[i]),
             {.size = 12, .anchor = Anchor::middle});
    if (i < marks.size() && marks[i] * unit <= kHeight) {
      const double y = zero - marks[i] * unit;
      svg.line({x - 5, y}, {x + kBar + 5, y}, {.color = "#d98c00", .width = 2});
    }
    svg.text({x + kBar / 2, top + kHeight + 36}, fmt::format("{}", i + 1), {.size = 13, .anchor = Anchor::middle});
  }
  svg.line({corner.x, zero}, {corner.x + kStep * static_cast<double>(values.size()), zero}, {.color = "#222222"});
}

}  // namespace

std::string effect_bars_svg(const EffectPictures& pictures, const std::vector<Effect>& effects,
                            const std::string& heading) {
  std::vector<Bar> bars;
  for (const Effect& effect : effects) bars.push_back({names_of(effect, pictures.players), effect.value});
  const std::string line = fmt::format("{}; change of the output {}", heading, signed_text(pictures.summary.change()));
  return bars_svg(bars, pictures.title, line, "none beyond rounding");
}

std::string orders_svg(const EffectPictures& pictures) {
  std::vector<double> sums, magnitudes, rounding;
  for (const OrderSummary& order : pictures.summary.orders) {
    sums.push_back(order.sum);
    magnitudes.push_back(order.absolute);
    rounding.push_back(order.rounding * static_cast<double>(order.count));
  }
  if (sums.empty()) sums = magnitudes = rounding = {0};
  std::string line =
      fmt::format("Effects by number of players; change of the output {}", signed_text(pictures.summary.change()));
  if (pictures.summary.order < pictures.summary.players) {
    line += fmt::format(", left out {}", signed_text(pictures.summary.remainder));
  }
  const double width = 56 * static_cast<double>(sums.size()) + 2 * kMargin;
  Svg svg(std::max({width, 520.0, head_width(pictures.title, line)}), kHead + 590);
  head(svg, pictures.title, line);
  order_panel(svg, {kMargin, kHead + 24}, "Sum of the effects: orders whose effects cancel are small here", sums, {});
  order_panel(svg, {kMargin, kHead + 304}, "Sum of their magnitudes; orange: what rounding alone may add up to",
              magnitudes, rounding);
  svg.text({kMargin, kHead + 576}, "players in the set", {.size = 13, .color = kFaint});
  return svg.finish();
}

}  // namespace ascribe::core
