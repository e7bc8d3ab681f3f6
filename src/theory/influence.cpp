#include "theory/influence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/method.h"

namespace ascribe::core {

namespace {

constexpr int kFewOfRule = 4, kMostDegree = 2;
constexpr double kSame = 1e-12;

// Two windows of two players, and a neuron with two inputs of each sign.
const AllocationContext& rule_context() {
  static const AllocationContext context{.windows = {{0, 1}, {2, 3}}, .z = {3, 1, -2, -1}};
  return context;
}

template <class F>
void for_each_kappa(F&& f) {
  std::vector<int> degree(kFewOfRule, 0);
  const int all = static_cast<int>(std::pow(kMostDegree + 1, kFewOfRule));
  for (int number = 1; number < all; ++number) {
    for (int i = 0, rest = number; i < kFewOfRule; ++i, rest /= kMostDegree + 1) degree[i] = rest % (kMostDegree + 1);
    f(degree);
  }
}

// What the weights have been like so far.
struct Seen {
  bool none = true, all = true, shared = true;  // of effects of several players, as in the header
  bool outside = false, beyond_window = false;  // weights of players that are not in the effect, nor in its windows
  bool slope_only = true;

  void take(const std::vector<int>& degree, const std::vector<double>& weights) {
    const int players = support_size(degree);
    for (size_t i = 0; i < weights.size(); ++i) {
      const bool in = degree[i] > 0, in_window = in || degree[i ^ 1] > 0;
      if (!in && std::abs(weights[i]) > kSame) outside = true;
      if (!in_window && std::abs(weights[i]) > kSame) beyond_window = true;
      if (players == 1 && in && degree[i] > 1 && std::abs(weights[i]) > kSame) slope_only = false;
      if (in && std::abs(weights[i] - 1) > kSame) all = false;
      if (players > 1 && in && std::abs(weights[i]) > kSame) none = false;
      if (in && (weights[i] < -kSame || weights[i] > 1 + kSame)) shared = false;
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (std::abs(sum - 1) > kSame) shared = false;
  }
};

std::string absent_players(const AllocationRule& rule, const Method& method) {
  switch (rule.level) {
    case AllocationLevel::point: return "none: the input 0, seen from x";
    case AllocationLevel::layer: return "none: a layer's surrogate";
    case AllocationLevel::module: return method.baselines ? "a reference, neuron by neuron" : "0, neuron by neuron";
    case AllocationLevel::baseline: break;
  }
  return method.game ? "baseline, marginal or conditional" : "baseline or marginal";
}

}  // namespace

InfluencePlace place_of(const AllocationRule& rule) {
  Seen seen;
  for_each_kappa([&](const std::vector<int>& degree) { seen.take(degree, weights(rule, rule_context(), degree)); });
  InfluencePlace place;
  place.slope_only = seen.slope_only;
  place.joint = seen.outside && !seen.beyond_window;
  if (seen.outside && seen.beyond_window) return place;
  if (seen.none) place.influence = Influence::pure;
  else if (seen.all) place.influence = Influence::full;
  else if (seen.shared) place.influence = Influence::partial;
  return place;
}

std::string place_line(const AllocationRule& rule) {
  const InfluencePlace place = place_of(rule);
  std::string influence = place.influence ? std::string(to_string(*place.influence)) : "none of them: effects leak";
  if (place.joint) influence += ", of windows";
  if (place.influence && place.slope_only) influence += ", its slope alone";
  return fmt::format("| `{}` | {} | {} |", rule.method, absent_players(rule, method_named(rule.method)), influence);
}

}  // namespace ascribe::core
