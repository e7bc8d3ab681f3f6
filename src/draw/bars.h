// Named numbers as horizontal bars from a zero line, red for positive and blue for negative.
#pragma once

#include <string>
#include <vector>

#include "draw/svg.h"

namespace ascribe::core {

struct Bar {
  std::string name;
  double value = 0;
  double error = 0;  // a whisker to both sides
};

// A page of them, in the given order, with a head of two lines.
std::string bars_svg(const std::vector<Bar>& bars, const std::string& title, const std::string& line,
                     const std::string& if_empty);

// Text of at most this many bytes, cut between characters.
std::string shortened(const std::string& text, size_t most);

}  // namespace ascribe::core
