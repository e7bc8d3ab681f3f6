// A sparse function of conjunctions, and perhaps disjunctions, found in stages: more coalitions are drawn until the
// budget is spent, the held-out error is as aimed at, or nothing is left to explain.
#pragma once

#include <memory>

#include "game/sparse/held_out.h"
#include "game/sparse/terms.h"

namespace ascribe::core {

struct TermModel {
  std::unique_ptr<BitColumns> bits;  // of the coalitions that were fitted to; `fit` refers to them
  std::unique_ptr<TermFit> fit;
  HeldOut held_out;
  SparseStop stop = SparseStop::budget;
  double empty = 0, full = 0;  // v(0) and v(N)
  int64_t evaluations = 0;
  double strictness = 1;  // of the prices that terms were worth
};

// Forward and backward, until nothing is found: terms that explain what is left, less those that others stand for; then
// terms whose neighbours do better in their place.
void find_terms(TermFit& fit, TermSearch& search, const SearchSettings& settings, int64_t most_terms,
                const Progress& progress);

int64_t least_budget_of_terms(int64_t players, int largest_order);
TermModel model_of_terms(Game& game, const SparseRequest& request, bool disjunctions);

}  // namespace ascribe::core
