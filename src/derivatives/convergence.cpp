#include "derivatives/convergence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ascribe::core {

namespace {

constexpr double kRounding = 1e-10;  // of the scale: what a sum of many orders may miss without meaning anything
constexpr double kMisjudged = 100;   // the tail is known from a fitted line only
constexpr double kMargin = 1.1;      // to which the radius is known (tests/theory/verification_test.cpp)
constexpr double kVanishes = 1e-12;  // beside orders before and behind: rounding, where the true coefficient is 0

double largest(std::span<const double> coefficients) {
  double most = 0;
  for (const double c : coefficients) most = std::max(most, std::abs(c));
  return most;
}

// The orders that tell about decay: late ones that do not vanish.
std::vector<size_t> telling_orders(std::span<const double> coefficients, size_t first) {
  std::vector<size_t> orders;
  for (size_t k = first; k < coefficients.size(); ++k) {
    const double around =
        std::min(largest(coefficients.subspan(first, k - first)), largest(coefficients.subspan(k + 1)));
    if (coefficients[k] != 0 && std::abs(coefficients[k]) > kVanishes * around) orders.push_back(k);
  }
  return orders;
}

int badness(Series series) {
  switch (series) {
    case Series::converges: return 0;
    case Series::undecided: return 1;
    case Series::kinked: return 2;
    case Series::diverges: return 3;
  }
  return 0;
}

}  // namespace

std::string_view to_string(Series series) {
  switch (series) {
    case Series::converges: return "converges";
    case Series::diverges: return "diverges";
    case Series::kinked: return "kinked";
    case Series::undecided: return "undecided";
  }
  return "";
}

Series worse(Series a, Series b) { return badness(a) < badness(b) ? b : a; }

int64_t& SeriesCounts::of(Series series) {
  switch (series) {
    case Series::converges: return converges;
    case Series::diverges: return diverges;
    case Series::kinked: return kinked;
    case Series::undecided: break;
  }
  return undecided;
}

double radius_of_convergence(std::span<const double> coefficients) {
  const size_t last = coefficients.size(), first = std::max<size_t>(1, last / 3);
  // Orders close to each other say more about dips than about decay.
  const size_t apart = last <= first ? 1 : std::max<size_t>(1, (last - first) / 3);
  const std::vector<size_t> orders = telling_orders(coefficients, std::min(first, last));
  std::vector<double> slopes;
  for (const size_t j : orders) {
    for (const size_t k : orders) {
      if (k < j + apart) continue;
      slopes.push_back(std::log(std::abs(coefficients[k] / coefficients[j])) / static_cast<double>(k - j));
    }
  }
  if (slopes.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return std::exp(-*middle);
}

Series judge_radius(double radius) {
  if (radius <= 1 / kMargin || std::isnan(radius)) return Series::diverges;
  return radius < kMargin ? Series::undecided : Series::converges;
}

Series judge_series(std::span<const double> coefficients, double remainder, double scale, bool kinks) {
  const double radius = radius_of_convergence(coefficients);
  const Series by_radius = judge_radius(radius);
  if (by_radius == Series::diverges) return by_radius;
  if (kinks) return Series::kinked;
  if (by_radius == Series::undecided) return by_radius;
  const double last = largest(coefficients.subspan(coefficients.size() * 2 / 3));
  const double tail = std::isinf(radius) ? 0 : last * radius / (radius - 1);
  return std::abs(remainder) <= kRounding * scale + kMisjudged * tail ? Series::converges : Series::undecided;
}

}  // namespace ascribe::core
