// Running text in the colours of draw/diverging.h: each token on the colour of its number, lines broken where they are
// full.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace ascribe::core {

struct ColoredToken {
  std::string text;
  bool space_before = true;
  std::optional<double> value;  // nothing: nobody owns it
};

// The largest magnitude.
double largest_value(const std::vector<ColoredToken>& tokens);

// What the tokens take in a column of this width, and the tokens drawn there. `limit`: the end of the colours.
double token_text_height(const std::vector<ColoredToken>& tokens, double width);
void token_text(Svg& svg, Point corner, double width, const std::vector<ColoredToken>& tokens, double limit);

// Letters that can be read on a colour.
bool needs_white_letters(double t);

// Columns of characters that the text takes: letters of East Asian scripts take two.
int64_t text_columns(std::string_view text);

}  // namespace ascribe::core
