// Whether a Taylor series says anything about x: the distance of the nearest singularity, estimated from the decay of
// the coefficients c_k of f(b + t (x - b)), where x lies at t = 1. For a pair of singularities at distance R, log |c_k|
// falls along a line of slope -log R, with dips; the median slope over pairs of orders is not disturbed by them.
#pragma once

#include <span>
#include <string_view>

namespace ascribe::core {

enum class Series {
  converges,  // x is inside the radius
  diverges,   // x is outside: every term is right, but their sum means nothing
  kinked,     // the terms converge, but not to f(x): the path crosses kinks of the function
};
std::string_view to_string(Series series);

// Infinite if the series ends.
double radius_of_convergence(std::span<const double> coefficients);

// `remainder`: f(x) less the sum of the coefficients; `scale`: the size of the numbers that were rounded.
Series judge_series(std::span<const double> coefficients, double remainder, double scale);

}  // namespace ascribe::core
