#include "game/sparse/and_or_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "game/sparse/term_model.h"

namespace ascribe::core {

AndOrEstimate estimate_and_or(Game& game, const SparseRequest& request) {
  const SparseRequest checked = checked_request(game, request, least_budget_of_terms(game.players(), 0));
  // Both searches draw the same coalitions; they are evaluated once.
  Game once(
      game.players(),
      [&](const Coalitions& sets, std::span<double> out, const Progress& progress) {
        const std::vector<double> values = game.values(sets, progress);
        std::copy(values.begin(), values.end(), out.begin());
      },
      Game::Memory::remembers);
  const TermModel alone = model_of_terms(once, checked, false);
  const TermModel both = model_of_terms(once, checked, true);
  // The larger dictionary may lead a search astray; what AND alone does as well with fewer terms stays.
  const std::vector<double> prices =
      prices_of_terms(game.players(), both.bits->rows(), checked.largest_order, both.strictness);
  const bool same_rows = alone.bits->rows() == both.bits->rows();
  const bool better = !same_rows || both.fit->cost(prices) < alone.fit->cost(prices);
  const TermModel& model = better ? both : alone;
  const TermFit& fit = *model.fit;
  AndOrEstimate result;
  result.constant = fit.coefficients()[0];
  result.empty = model.empty;
  result.full = model.full;
  result.held_out = model.held_out;
  result.stop = model.stop;
  result.and_alone_terms = std::ssize(alone.fit->terms()) - 1;
  result.and_alone = alone.held_out;
  result.evaluations = once.evaluations();
  result.degrees_of_freedom = std::max(1.0, static_cast<double>(model.bits->rows()) - static_cast<double>(fit.size()));
  std::vector<size_t> order(fit.size() - 1);
  std::iota(order.begin(), order.end(), 1);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const SparseTerm &x = fit.terms()[a], &y = fit.terms()[b];
    return std::make_tuple(x.kind, x.set.size(), std::cref(x.set)) <
           std::make_tuple(y.kind, y.set.size(), std::cref(y.set));
  });
  const std::vector<double> covariance = fit.covariance();
  for (const size_t t : order) {
    AndOrEffect effect;
    effect.support = fit.terms()[t].set;
    effect.value = fit.coefficients()[t];
    effect.disjunction = fit.terms()[t].kind == TermKind::disjunction;
    result.effects.push_back(std::move(effect));
    result.standard_errors.push_back(std::sqrt(std::max(0.0, covariance[t * fit.size() + t])));
  }
  return result;
}

}  // namespace ascribe::core
