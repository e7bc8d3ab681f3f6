// What a path integral may miss: what `exact` promises, and what no number of nodes can improve.
#pragma once

#include <algorithm>
#include <cmath>

#include "methods/path_integral.h"

namespace ascribe::core {

inline constexpr double kRoundings = 8;  // of f, in units of its precision: smaller misses mean nothing

// What rounding alone leaves of numbers of this size.
inline double rounding_of(DType real, double size) {
  return kRoundings * (real == DType::f64 ? 0x1p-52 : 0x1p-23) * size;
}

// What may be missed of a change: the tolerance is relative to it. A change that is nothing but rounding of what
// cancels in it, the sum of |a_i|, has no relative error; then the tolerance is relative to that sum.
inline double allowance(double tolerance, double change, double magnitude, DType real) {
  return tolerance * (std::abs(change) > rounding_of(real, magnitude) ? std::abs(change) : magnitude);
}

// 0 stands for what the precision can usually reach.
inline PathRule with_tolerance(PathRule rule, DType real) {
  if (rule.tolerance == 0) rule.tolerance = real == DType::f64 ? 1e-9 : 1e-4;
  return rule;
}

}  // namespace ascribe::core
