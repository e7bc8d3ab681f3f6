// Many scores as a few numbers: mean, standard error, and a 95 % confidence interval of the mean by the percentile
// bootstrap (Efron 1979): scores are drawn with replacement, and the interval holds the middle 95 % of the means.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ascribe::core {

struct Summary {
  int64_t count = 0;      // of the values
  int64_t undefined = 0;  // samples without a value, which are left out of everything below
  double mean = std::numeric_limits<double>::quiet_NaN();  // not a number if there is no value
  double median = std::numeric_limits<double>::quiet_NaN();
  double standard_error = std::numeric_limits<double>::quiet_NaN();   // of two values or more
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;  // the 95 % interval, likewise
};

inline constexpr int64_t kBootstrapResamples = 2000;

// Of several lists of values. Draws depend on the seed and the number of values only, so that lists of the same samples
// are drawn alike. `undefined` is left at 0.
std::vector<Summary> summarize(std::span<const std::vector<double>> lists, uint64_t seed);

}  // namespace ascribe::core
