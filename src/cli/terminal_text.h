// Running text on a terminal with colours: each token on the colour of its number.
#pragma once

#include <string>
#include <vector>

#include "draw/token_text.h"

namespace ascribe::core::cli {

// Lines of at most `columns` characters. The largest magnitude has the darkest colour.
std::vector<std::string> terminal_text(const std::vector<ColoredToken>& tokens, int64_t columns);

}  // namespace ascribe::core::cli
