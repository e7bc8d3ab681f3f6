#include "draw/bars.h"

#include <algorithm>
#include <cmath>

#include "draw/diverging.h"
#include "draw/picture_text.h"

namespace ascribe::core {

namespace {

void whisker(Svg& svg, double from, double to, double y) {
  const Stroke stroke{"#222222", 1.2};
  svg.line({from, y}, {to, y}, stroke);
  for (const double x : {from, to}) svg.line({x, y - 4}, {x, y + 4}, stroke);
}

}  // namespace

std::string shortened(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
  return text.substr(0, end) + "…";
}

std::string bars_svg(const std::vector<Bar>& bars, const std::string& title, const std::string& line,
                     const std::string& if_empty) {
  constexpr double kStep = 26, kBar = 18, kLength = 420, kNumber = 64;
  constexpr size_t kLongest = 48;
  size_t longest = 6;
  double lowest = 0, highest = 0;
  for (const Bar& bar : bars) {
    longest = std::max(longest, std::min(kLongest, bar.name.size()));
    lowest = std::min(lowest, bar.value - (bar.value < 0 ? bar.error : 0));
    highest = std::max(highest, bar.value + (bar.value > 0 ? bar.error : 0));
  }
  const double unit = highest > lowest ? kLength / (highest - lowest) : 0;
  const double names = kMargin + 8.0 * static_cast<double>(longest);
  const double zero = names + (lowest < 0 ? kNumber - lowest * unit : 16);
  Svg svg(std::max(zero + highest * unit + kNumber + kMargin, head_width(title, line)),
          kHead + kStep * static_cast<double>(std::max<size_t>(bars.size(), 1)) + kMargin);
  head(svg, title, line);
  for (size_t i = 0; i < bars.size(); ++i) {
    const double y = kHead + kStep * static_cast<double>(i), value = bars[i].value;
    const double length = std::abs(value) * unit, reach = length + bars[i].error * unit;
    svg.text({names, y + 14}, shortened(bars[i].name, kLongest), {.size = 13, .anchor = Anchor::end});
    svg.rectangle({value < 0 ? zero - length : zero, y}, length, kBar, color_of_sign(value));
    if (bars[i].error > 0) {
      const double end = zero + value * unit, half = bars[i].error * unit;
      whisker(svg, end - half, end + half, y + kBar / 2);
    }
    svg.text({value < 0 ? zero - reach - 6 : zero + reach + 6, y + 14}, signed_text(value),
             {.size = 13, .anchor = value < 0 ? Anchor::end : Anchor::start});
  }
  if (bars.empty()) svg.text({kMargin, kHead + 14}, if_empty, {.size = 14, .color = kFaint});
  svg.line({zero, kHead - 6}, {zero, kHead + kStep * static_cast<double>(bars.size())}, {.color = "#222222"});
  return svg.finish();
}

}  // namespace ascribe::core
