#include "base/student.h"

#include <cmath>
#include <limits>

namespace ascribe::core {

namespace {

constexpr double kManyDegrees = 1e7;  // beyond, the normal distribution to more digits than anyone needs

// The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes, section 6.4).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto safe = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / safe(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_probability(double t, double degrees) {
  if (degrees > kManyDegrees) return std::erfc(-t / std::sqrt(2.0)) / 2;
  const double tail = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_quantile(double probability, double degrees) {
  if (!(degrees > 0) || probability >= 1) return std::numeric_limits<double>::infinity();
  const double wanted = (1 + probability) / 2;
  double low = 0, high = 1;
  while (student_probability(high, degrees) < wanted && high < 1e300) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-14 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_probability(middle, degrees) < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace ascribe::core
