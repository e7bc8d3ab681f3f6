#include "game/sparse/estimate_of_terms.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "game/estimators/cholesky.h"

namespace ascribe::core {

namespace {

struct SmallerFirst {
  bool operator()(const std::vector<int>& a, const std::vector<int>& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

}  // namespace

// g parity = g (1 - prod (1 - 2 x_i)) / 2, and the product has the dividends (-2)^|T| of all sets T inside.
DividendsOfFit dividends_of_fit(const TermFit& fit) {
  std::map<std::vector<int>, std::vector<std::pair<size_t, double>>, SmallerFirst> parts;
  for (size_t t = 1; t < fit.size(); ++t) {
    const SparseTerm& term = fit.terms()[t];
    if (term.kind == TermKind::conjunction) {
      parts[term.set].emplace_back(t, 1.0);
      continue;
    }
    for (uint64_t inside = 1; inside < uint64_t{1} << term.set.size(); ++inside) {
      std::vector<int> set;
      for (size_t i = 0; i < term.set.size(); ++i) {
        if ((inside >> i & 1) != 0) set.push_back(term.set[i]);
      }
      const double sign = set.size() % 2 == 0 ? -1 : 1;
      const auto power = static_cast<int>(set.size()) - 1;
      const double weight = term.kind == TermKind::parity ? std::ldexp(sign, power) : sign;
      parts[std::move(set)].emplace_back(t, weight);
    }
  }
  DividendsOfFit result;
  for (auto& [set, weights] : parts) {
    result.sets.push_back(set);
    result.weights.push_back(std::move(weights));
  }
  return result;
}

SparseEstimate estimate_of_terms(const Game& game, const TermModel& model) {
  const TermFit& fit = *model.fit;
  SparseEstimate result;
  result.effects.players = game.players();
  result.effects.baseline_output = model.empty;
  result.effects.output = model.full;
  result.effects.remainder = result.effects.change();
  result.effects.evaluations = result.evaluations = model.evaluations;
  result.constant = fit.coefficients()[0];
  result.held_out = model.held_out;
  result.stop = model.stop;
  result.degrees_of_freedom = std::max(1.0, static_cast<double>(model.bits->rows()) - static_cast<double>(fit.size()));
  DividendsOfFit map = dividends_of_fit(fit);
  std::vector<size_t> kept;
  for (size_t e = 0; e < map.sets.size(); ++e) {
    double value = 0;
    for (const auto& [term, weight] : map.weights[e]) value += weight * fit.coefficients()[term];
    if (std::abs(value) <= 1e-9 * fit.spread()) continue;  // coefficients that cancel
    kept.push_back(e);
    result.effects.effects.push_back({map.sets[e], {}, value});
    result.effects.order = std::max(result.effects.order, static_cast<int>(map.sets[e].size()));
    result.effects.remainder -= value;
    const bool one = map.weights[e].size() == 1;
    result.doubted.push_back(one && fit.doubted(map.weights[e][0].first) ? 1 : 0);
  }
  const std::vector<double> covariance = fit.covariance();
  const auto terms = std::ssize(fit.terms()), effects = std::ssize(kept);
  std::vector<double> dense(static_cast<size_t>(effects * terms));
  for (size_t e = 0; e < kept.size(); ++e) {
    for (const auto& [term, weight] : map.weights[kept[e]]) dense[e * fit.size() + term] = weight;
  }
  if (effects > 0) {
    result.covariance = product_with_transposed(product_with_transposed(dense, covariance, terms), dense, terms);
  }
  for (size_t e = 0; e < kept.size(); ++e) {
    result.standard_errors.push_back(std::sqrt(std::max(0.0, result.covariance[e * kept.size() + e])));
  }
  result.explained_defined = model.full != model.empty;
  if (result.explained_defined) result.explained = 1 - result.effects.remainder / result.effects.change();
  if (!result.held_out.defined) {
    result.notes.push_back(
        "the game has the same value at all held-out coalitions: there is nothing to explain, and no R2");
  }
  const auto doubted = std::count(result.doubted.begin(), result.doubted.end(), 1);
  if (doubted > 0) {
    result.notes.push_back(fmt::format(
        "{} of {} effects may be those of a set with one player more or less: the draws do not tell them apart",
        doubted, effects));
  }
  return result;
}

}  // namespace ascribe::core
