#include "cli/terminal_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/terminal.h"
#include "draw/diverging.h"

namespace ascribe::core::cli {

namespace {

std::string token_channels(const Rgb& color) {
  return fmt::format("{:.0f};{:.0f};{:.0f}", color[0], color[1], color[2]);
}

}  // namespace

std::vector<std::string> terminal_text(const std::vector<ColoredToken>& tokens, int64_t columns) {
  const double limit = largest_value(tokens);
  std::vector<std::string> lines(1);
  int64_t used = 0;
  for (const ColoredToken& token : tokens) {
    const std::string text = printable(token.text);
    const int64_t own = text_columns(text);
    const bool space = token.space_before && used > 0;
    if (used > 0 && used + own + (space ? 1 : 0) > columns) lines.emplace_back(), used = 0;
    if (token.space_before && used > 0) lines.back() += ' ', ++used;
    used += own;
    if (!token.value) {
      lines.back() += text;
      continue;
    }
    const double t = limit > 0 ? std::clamp(*token.value / limit, -1.0, 1.0) : 0;
    lines.back() +=
        fmt::format("\x1b[38;2;{}m\x1b[48;2;{}m{}\x1b[0m", needs_white_letters(t) ? "255;255;255" : "17;17;17",
                    token_channels(diverging(t)), text);
  }
  return lines;
}

}  // namespace ascribe::core::cli
