// Interaction indices of order 2 for more players than can be enumerated: sampled, with a standard error per set.
//   sii   permutations in which every pair of players meets, each with its reverse
//   stii  permutations, each with its reverse; single players are exact
//   fsii  least squares over coalitions drawn by the Shapley kernel, each with its complement
// The same seed gives the same bits. On additive games and on games of order 2 all three are exact up to rounding.
#pragma once

#include <string>
#include <vector>

#include "game/effects.h"

namespace ascribe::core {

struct EstimateRequest {
  int64_t budget = 20000;  // evaluations; fewer than a method needs for its standard errors are refused
  uint64_t seed = 0;
  Progress progress;
};

struct Estimate {
  Effects effects;  // all single players, then all pairs; `remainder` is what they leave of the change
  std::vector<double> standard_errors;  // one per effect
  int64_t samples = 0;                  // independent ones: rounds of permutations, or pairs of coalitions
  double degrees_of_freedom = 0;        // of the standard errors
};

Estimate estimate_sii(Game& game, const EstimateRequest& request);
Estimate estimate_stii(Game& game, const EstimateRequest& request);
Estimate estimate_fsii(Game& game, const EstimateRequest& request);

// By the name of the index; refuses those that have no estimator.
Estimate estimate_index(const std::string& index, Game& game, const EstimateRequest& request);

}  // namespace ascribe::core
