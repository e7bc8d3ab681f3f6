// Interaction indices of recovered effects (game/sparse), with their errors: I(S) is a sum of the effects T that
// contain S, weighted by the sizes of both, so the effects that were found say all of it. Indices that take S as one
// player are not of this kind.
#pragma once

#include "game/interaction_index.h"
#include "game/sparse/effect_estimator.h"

namespace ascribe::core {

struct SparseIndex {
  const InteractionIndex* index = nullptr;
  Effects effects;  // of the sets that are in some effect, by size and then in the order of their players
  std::vector<double> standard_errors;
};

// For all S of at most `order` players. Refuses, kind argument, joint indices and orders that the index does not have.
SparseIndex index_of_sparse(const InteractionIndex& index, const SparseEstimate& estimate, int order);

}  // namespace ascribe::core
