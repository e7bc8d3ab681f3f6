// The Taylor effects I(kappa) of the players at the baseline up to an order K (docs/theory/mixed-terms.md), grouped by
// support next to the dividends J(S) that they sum to, and by order. With several baselines, the mean.
#pragma once

#include "derivatives/convergence.h"
#include "derivatives/mixed_terms.h"
#include "game/effects.h"
#include "game/masked_model.h"

namespace ascribe::core {

struct TaylorEffects {
  Effects effects;                         // every I(kappa): support and degrees
  std::vector<Conditioning> conditioning;  // per order
  bool piecewise_linear = false;           // everything beyond order 1 vanishes: J(S) is the thing to read
  // Where the series leads, from orders far beyond K along some coalitions, and from kinks before masked inputs.
  Series series = Series::converges;  // the worst of the baselines
  double radius = 0;                  // the smallest; the input is at distance 1
};

struct TaylorRequest {
  int order = 2;
  int64_t most_terms = int64_t{1} << 20;
};

// The question's precision is ignored: Taylor terms are computed in double.
TaylorEffects taylor_effects(const MaskedModel& question, const TaylorRequest& request, const Progress& progress = {});

// For every support: the sum of its terms of each degree <= K, in the order of sets by size.
struct SupportSum {
  std::vector<int> support;
  std::vector<double> by_order;  // entry k: the sum of I(kappa) with that support and degree <= k; 0 .. K
};
std::vector<SupportSum> sums_by_support(const TaylorEffects& taylor);

}  // namespace ascribe::core
