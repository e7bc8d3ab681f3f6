// What tests ask of texts.
#pragma once

#include <string>

namespace ascribe::core {

// How often the part stands in the text.
inline size_t occurrences(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace ascribe::core
