// "proxy": a surrogate whose effects are read off exactly: a sum of conjunctions of players, found forward and backward
// like the paths of boosted trees and fitted together by least squares.
//   draw      every share of present players alike (samples.h), so that large sets are often complete
//   search    sets are extended player by player as long as they explain more of the residuals (term_search.cpp)
//   choose    how strong a term must be: by rows that the search has not seen (term_model.cpp)
//   refit     all terms on all rows; standard errors that hold whatever the residuals depend on (term_fit.cpp)
// In the manner of Butler et al., "ProxySPEX" (NeurIPS 2025), and ProxySHAP (2026), whose surrogates are boosted trees.
#include "game/sparse/estimate_of_terms.h"

namespace ascribe::core::effect_proxy {

SparseEstimate estimate(Game& game, const SparseRequest& request) {
  SparseEstimate result = estimate_of_terms(game, model_of_terms(game, request, false));
  result.estimator = "proxy";
  return result;
}

const RegisterEffectEstimator registered({
    .name = "proxy",
    .title = "sparse regression on conjunctions",
    .source = "in the manner of Butler et al., ProxySPEX, 2025",
    .good_for = "most games: effects whose players matter in smaller groups, too",
    .estimate = estimate,
    .least_budget = least_budget_of_terms,
});

}  // namespace ascribe::core::effect_proxy
