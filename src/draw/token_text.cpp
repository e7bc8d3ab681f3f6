#include "draw/token_text.h"

#include <algorithm>
#include <cmath>

#include "draw/diverging.h"

namespace ascribe::core {

namespace {

constexpr double kTokenSize = 15, kTokenColumn = 9.1, kTokenLine = 27, kTokenPad = 4, kTokenSpace = 5;
constexpr size_t kLongestToken = 160;  // bytes of a token that are shown

struct PlacedToken {
  Point at;
  double width = 0;
};

std::string shown_token(const std::string& text) {
  if (text.size() <= kLongestToken) return text.empty() ? " " : text;
  size_t end = kLongestToken;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::vector<PlacedToken> placed_tokens(const std::vector<ColoredToken>& tokens, double width) {
  std::vector<PlacedToken> places;
  double x = 0, y = 0;
  for (const ColoredToken& token : tokens) {
    const double own = kTokenColumn * static_cast<double>(text_columns(shown_token(token.text))) + 2 * kTokenPad;
    if (x > 0 && token.space_before) x += kTokenSpace;
    if (x > 0 && x + own > width) x = 0, y += kTokenLine;
    places.push_back({{x, y}, std::min(own, width)});
    x += own + 1;
  }
  return places;
}

}  // namespace

int64_t text_columns(std::string_view text) {
  int64_t columns = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;
    columns += byte >= 0xE3 ? 2 : 1;
  }
  return std::max<int64_t>(columns, 1);
}

bool needs_white_letters(double t) {
  const Rgb color = diverging(t);
  return 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2] <= 140;
}

double largest_value(const std::vector<ColoredToken>& tokens) {
  double largest = 0;
  for (const ColoredToken& token : tokens) largest = std::max(largest, std::abs(token.value.value_or(0)));
  return largest;
}

double token_text_height(const std::vector<ColoredToken>& tokens, double width) {
  return tokens.empty() ? kTokenLine : placed_tokens(tokens, width).back().at.y + kTokenLine;
}

void token_text(Svg& svg, Point corner, double width, const std::vector<ColoredToken>& tokens, double limit) {
  const std::vector<PlacedToken> places = placed_tokens(tokens, width);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const ColoredToken& token = tokens[i];
    const double t = token.value && limit > 0 ? std::clamp(*token.value / limit, -1.0, 1.0) : 0;
    const Point at{corner.x + places[i].at.x, corner.y + places[i].at.y};
    svg.rectangle(at, places[i].width, kTokenLine - 4, token.value ? hex(diverging(t)) : "#e4e4e4",
                  {.color = "#dddddd", .width = 0.6});
    svg.text({at.x + places[i].width / 2, at.y + kTokenSize + 2}, shown_token(token.text),
             {.size = kTokenSize, .color = needs_white_letters(t) ? "#ffffff" : "#111111", .anchor = Anchor::middle});
  }
}

}  // namespace ascribe::core
