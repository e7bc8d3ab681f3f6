#include "game/sparse_index.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"

namespace ascribe::core {

namespace {

// What I(S), |S| = s, has of one effect of t players: the index of the game that has no other.
std::vector<double> weights_of(const InteractionIndex& index, int t, int order) {
  Dividends one;
  one.players = t;
  one.values.assign(size_t{1} << t, 0.0);
  one.values.back() = 1;
  std::vector<double> weights(static_cast<size_t>(t) + 1, 0.0);
  for (const Effect& effect : compute_index(index, one, std::min(order, t)).effects) {
    weights[effect.support.size()] = effect.value;
  }
  return weights;
}

struct Part {
  size_t effect;
  double weight;
};

// Calls f for all sets of 1 .. most of the players.
template <class F>
void for_each_subset(const std::vector<int>& players, int most, F&& f) {
  std::vector<int> set;
  const std::function<void(size_t)> extend = [&](size_t from) {
    for (size_t i = from; i < players.size(); ++i) {
      set.push_back(players[i]);
      f(set);
      if (static_cast<int>(set.size()) < most) extend(i + 1);
      set.pop_back();
    }
  };
  extend(0);
}

double error_of(const std::vector<Part>& parts, const SparseEstimate& estimate) {
  const size_t count = estimate.effects.effects.size();
  double variance = 0;
  for (const Part& a : parts) {
    if (estimate.covariance.empty()) {
      variance += std::pow(a.weight * estimate.standard_errors[a.effect], 2);
      continue;
    }
    for (const Part& b : parts) variance += a.weight * b.weight * estimate.covariance[a.effect * count + b.effect];
  }
  return std::sqrt(std::max(variance, 0.0));
}

}  // namespace

SparseIndex index_of_sparse(const InteractionIndex& index, const SparseEstimate& estimate, int order) {
  if (index.joint) {
    fail(ErrorKind::argument, "index",
         "{} takes sets of players as one; of estimated effects there are indices of what players do together, as sii, "
         "stii or fsii",
         index.name);
  }
  if (order < index.least_order || order > index.most_order) {
    fail(ErrorKind::argument, "order", "{} has no such order; got {}; expected {} to {}", index.name, order,
         index.least_order, index.most_order);
  }
  std::map<size_t, std::vector<double>> weights;
  std::map<std::pair<size_t, std::vector<int>>, std::vector<Part>> sums;
  const std::vector<Effect>& effects = estimate.effects.effects;
  for (size_t i = 0; i < effects.size(); ++i) {
    const std::vector<int>& support = effects[i].support;
    std::vector<double>& known = weights[support.size()];
    if (known.empty()) known = weights_of(index, static_cast<int>(support.size()), order);
    for_each_subset(support, order, [&](const std::vector<int>& set) {
      const double weight = known[set.size()];
      if (weight != 0) sums[{set.size(), set}].push_back({i, weight});
    });
  }
  SparseIndex result;
  result.index = &index;
  result.effects = estimate.effects;
  result.effects.effects.clear();
  result.effects.order = order;
  result.effects.remainder = estimate.effects.change();
  for (const auto& [key, parts] : sums) {
    double value = 0;
    for (const Part& part : parts) value += part.weight * effects[part.effect].value;
    result.effects.effects.push_back({key.second, {}, value});
    result.effects.remainder -= value;
    result.standard_errors.push_back(error_of(parts, estimate));
  }
  return result;
}

}  // namespace ascribe::core
