// AND and OR, estimated: the sparsest sum of conjunctions and disjunctions of players that explains a game of many
// players (game/and_or.h has the exact form for few). An OR of S is 1 unless everyone of S is absent, and has 2^|S| - 1
// dividends; where a model saturates, one OR says what many ANDs would.
#pragma once

#include "game/and_or.h"
#include "game/sparse/effect_estimator.h"

namespace ascribe::core {

struct AndOrEstimate {
  double constant = 0;
  std::vector<AndOrEffect> effects;  // by kind, size, and the order of their sets; of singles AND and OR are the same
  std::vector<double> standard_errors;
  double degrees_of_freedom = 0;
  double empty = 0, full = 0;  // v(0) and v(N)
  HeldOut held_out;
  // With AND alone, from the same coalitions.
  int64_t and_alone_terms = 0;
  HeldOut and_alone;
  SparseStop stop = SparseStop::budget;
  int64_t evaluations = 0;
};

// `request.estimator` is not asked. Refuses what estimate_sparse refuses.
AndOrEstimate estimate_and_or(Game& game, const SparseRequest& request);

}  // namespace ascribe::core
