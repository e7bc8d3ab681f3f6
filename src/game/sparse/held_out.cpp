#include "game/sparse/held_out.h"

#include <cmath>
#include <numeric>

namespace ascribe::core {

HeldOut held_out_fit(std::span<const double> values, std::span<const double> predicted) {
  HeldOut result;
  result.coalitions = std::ssize(values);
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double missed = 0, around = 0, largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    missed += (values[i] - predicted[i]) * (values[i] - predicted[i]) / count;
    around += (values[i] - mean) * (values[i] - mean) / count;
    largest = std::max(largest, std::abs(values[i]));
  }
  result.rmse = std::sqrt(missed);
  result.spread = std::sqrt(around);
  result.defined = result.spread > 1e-12 * largest;
  if (!result.defined) return result;
  const double ratio = missed / around;
  double squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double own =
        (values[i] - predicted[i]) * (values[i] - predicted[i]) - ratio * (values[i] - mean) * (values[i] - mean);
    squares += own * own;
  }
  result.r2 = 1 - ratio;
  result.r2_error = std::sqrt(squares / count / std::max(1.0, count - 1)) / around;
  return result;
}

}  // namespace ascribe::core
