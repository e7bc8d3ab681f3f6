// A fit of conjunctions as an estimate.
#pragma once

#include "game/sparse/term_model.h"

namespace ascribe::core {

// Linear combinations of a fit's coefficients as dividends: effect e = sum over t of weights[e][t] coefficient t.
struct DividendsOfFit {
  std::vector<std::vector<int>> sets;
  std::vector<std::vector<std::pair<size_t, double>>> weights;
};
// Of conjunctions: themselves. Of parities: all sets inside of them.
DividendsOfFit dividends_of_fit(const TermFit& fit);

// The estimate, but for its name.
SparseEstimate estimate_of_terms(const Game& game, const TermModel& model);

}  // namespace ascribe::core
