#include "theory/convergence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ascribe::core {

namespace {

constexpr double kRounding = 1e-10;  // of the scale: what a sum of many orders may miss without meaning anything
constexpr double kMisjudged = 100;   // the tail is known from a fitted line only

}  // namespace

std::string_view to_string(Series series) {
  switch (series) {
    case Series::converges: return "converges";
    case Series::diverges: return "diverges";
    case Series::kinked: return "kinked";
  }
  return "";
}

double radius_of_convergence(std::span<const double> coefficients) {
  const size_t last = coefficients.size(), first = std::max<size_t>(1, last / 3);
  std::vector<double> slopes;
  for (size_t j = first; j < last; ++j) {
    // Orders close to each other say more about dips than about decay.
    for (size_t k = j + std::max<size_t>(1, (last - first) / 3); k < last; ++k) {
      if (coefficients[j] == 0 || coefficients[k] == 0) continue;
      slopes.push_back(std::log(std::abs(coefficients[k] / coefficients[j])) / static_cast<double>(k - j));
    }
  }
  if (slopes.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return std::exp(-*middle);
}

Series judge_series(std::span<const double> coefficients, double remainder, double scale) {
  const double radius = radius_of_convergence(coefficients);
  if (radius <= 1) return Series::diverges;
  double last = 0;
  for (size_t k = coefficients.size() * 2 / 3; k < coefficients.size(); ++k) {
    last = std::max(last, std::abs(coefficients[k]));
  }
  const double tail = std::isinf(radius) ? 0 : last * radius / (radius - 1);
  return std::abs(remainder) > kRounding * scale + kMisjudged * tail ? Series::kinked : Series::converges;
}

}  // namespace ascribe::core
