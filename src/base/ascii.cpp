#include "base/ascii.h"

#include <algorithm>
#include <charconv>

namespace ascribe::core {

std::string ascii_lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), [](char c) { return ascii_lower(c); });
  return small;
}

std::optional<double> ascii_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace ascribe::core
