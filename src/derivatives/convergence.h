// Whether a Taylor series says anything about x: the distance of the nearest singularity, estimated from the decay of
// the coefficients c_k of f(b + t (x - b)), where x lies at t = 1. For a pair of singularities at distance R, log |c_k|
// falls along a line of slope -log R, with dips; the median slope over pairs of orders is not disturbed by them, nor by
// orders that vanish (all even ones, all that are not multiples of three).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ascribe::core {

enum class Series {
  converges,  // x is inside the radius
  diverges,   // x is outside: every term is right, but their sum means nothing
  kinked,     // kinks of the function lie between: the terms are those of another piece than x's
  undecided,  // x is about as far as the singularity, or the sum misses f(x) for no reason that is known
};
std::string_view to_string(Series series);

// The worse of two: a mean of both is no better.
Series worse(Series a, Series b);

// How many there are of each.
struct SeriesCounts {
  int64_t converges = 0, diverges = 0, kinked = 0, undecided = 0;

  int64_t& of(Series series);
};

// Infinite if the series ends.
double radius_of_convergence(std::span<const double> coefficients);

// The verdict from the radius alone; undecided within a tenth around 1, which is how well it is known.
Series judge_radius(double radius);

// `remainder`: f(x) less the sum of the coefficients; `scale`: the size of the numbers that were rounded; `kinks`:
// there are some between b and x.
Series judge_series(std::span<const double> coefficients, double remainder, double scale, bool kinks);

}  // namespace ascribe::core
