// "proxy": a surrogate whose effects are read off exactly: a sum of conjunctions of players, found forward and backward
// like the paths of boosted trees and fitted together by least squares.
//   draw      every share of present players alike (samples.h), so that large sets are often complete
//   search    sets are extended player by player as long as they explain more of the residuals (term_search.cpp)
//   choose    how strong a term must be: by rows that the search has not seen (term_model.cpp)
//   refit     all terms on all rows; standard errors that hold whatever the residuals depend on (term_fit.cpp)
// In the manner of Butler et al., "ProxySPEX" (NeurIPS 2025), and ProxySHAP (2026), whose surrogates are boosted trees.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "game/sparse/term_model.h"

namespace ascribe::core::effect_proxy {

SparseEstimate estimate(Game& game, const SparseRequest& request) {
  const TermModel model = model_of_terms(game, request, false);
  const TermFit& fit = *model.fit;
  std::vector<size_t> order(fit.size() - 1);
  std::iota(order.begin(), order.end(), 1);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const std::vector<int>&x = fit.terms()[a].set, &y = fit.terms()[b].set;
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  SparseEstimate result;
  result.estimator = "proxy";
  result.effects.players = game.players();
  result.effects.baseline_output = model.empty;
  result.effects.output = model.full;
  result.effects.remainder = result.effects.change();
  result.effects.evaluations = result.evaluations = model.evaluations;
  result.constant = fit.coefficients()[0];
  const std::vector<double> covariance = fit.covariance();
  for (const size_t t : order) {
    const double value = fit.coefficients()[t];
    result.effects.effects.push_back({fit.terms()[t].set, {}, value});
    result.effects.order = std::max(result.effects.order, static_cast<int>(fit.terms()[t].set.size()));
    result.effects.remainder -= value;
    result.standard_errors.push_back(std::sqrt(std::max(0.0, covariance[t * fit.size() + t])));
    result.doubted.push_back(fit.doubted(t) ? 1 : 0);
    for (const size_t other : order) result.covariance.push_back(covariance[t * fit.size() + other]);
  }
  result.degrees_of_freedom = std::max(1.0, static_cast<double>(model.bits->rows()) - static_cast<double>(fit.size()));
  result.held_out = model.held_out;
  result.explained_defined = model.full != model.empty;
  if (result.explained_defined) result.explained = 1 - result.effects.remainder / result.effects.change();
  result.stop = model.stop;
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
