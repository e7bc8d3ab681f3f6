#include "base/finite.h"

#include <cmath>

#include <fmt/format.h>

namespace ascribe::core {

std::string number_in_words(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value < 0 ? "minus infinity" : "infinity";
  return fmt::format("{}", value);
}

std::string cell_if_finite(double value, std::string text) { return std::isfinite(value) ? std::move(text) : "-"; }

std::string csv_if_finite(double value, std::string text) { return std::isfinite(value) ? std::move(text) : ""; }

}  // namespace ascribe::core
