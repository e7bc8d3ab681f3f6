#include "game/sparse/effect_estimator.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/closest_name.h"
#include "base/error.h"

namespace ascribe::core {

std::string to_string(SparseStop stop) {
  switch (stop) {
    case SparseStop::budget: return "the budget is spent";
    case SparseStop::aim: return "the aimed error is reached";
    case SparseStop::all_found: return "everything is found";
  }
  return "";
}

bool may_meet(const SparseHints& hints, std::span<const int> set) {
  for (size_t i = 0; hints.never_meet && i < set.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (hints.never_meet(std::min(set[i], set[j]), std::max(set[i], set[j]))) return false;
    }
  }
  return true;
}

double SparseEstimate::at(std::span<const uint64_t> coalition) const {
  double value = constant;
  for (const Effect& effect : effects.effects) {
    const bool inside = std::all_of(effect.support.begin(), effect.support.end(), [&](int player) {
      return (coalition[static_cast<size_t>(player / 64)] >> (player % 64) & 1) != 0;
    });
    if (inside) value += effect.value;
  }
  return value;
}

double SparseEstimate::error_of(std::span<const double> weights) const {
  const size_t size = effects.effects.size();
  require(weights.size() == size && covariance.size() == size * size, "sparse", "a weight for each effect");
  double variance = 0;
  for (size_t i = 0; i < size; ++i) {
    if (weights[i] == 0) continue;
    for (size_t j = 0; j < size; ++j) variance += weights[i] * weights[j] * covariance[i * size + j];
  }
  return std::sqrt(std::max(0.0, variance));
}

SparseSpectrum spectrum_of(const SparseEstimate& estimate, const std::string& basis) {
  if (basis != "fourier" && basis != "banzhaf" && basis != "moebius") {
    fail(ErrorKind::argument, "basis", "there is no such basis; got {}; expected fourier, banzhaf or moebius", basis);
  }
  struct Part {
    size_t effect;
    double weight;
  };
  struct BySize {
    bool operator()(const std::vector<int>& a, const std::vector<int>& b) const {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
  };
  std::map<std::vector<int>, std::vector<Part>, BySize> parts;
  const std::vector<Effect>& effects = estimate.effects.effects;
  parts[{}];
  for (size_t e = 0; e < effects.size(); ++e) {
    const std::vector<int>& set = effects[e].support;
    const auto size = static_cast<int>(set.size());
    for (uint64_t inside = 0; inside < uint64_t{1} << size; ++inside) {
      if (basis == "moebius" && inside + 1 != uint64_t{1} << size) continue;
      std::vector<int> subset;
      for (int i = 0; i < size; ++i) {
        if ((inside >> i & 1) != 0) subset.push_back(set[static_cast<size_t>(i)]);
      }
      const auto own = static_cast<int>(subset.size());
      double weight = basis == "fourier" ? std::ldexp(own % 2 == 0 ? 1.0 : -1.0, -size) : std::ldexp(1.0, own - size);
      if (basis == "moebius") weight = 1;
      parts[std::move(subset)].push_back({e, weight});
    }
  }
  SparseSpectrum result;
  for (const auto& [set, sum] : parts) {
    double value = set.empty() ? estimate.constant : 0;
    double variance = 0;
    for (const Part& a : sum) {
      value += a.weight * effects[a.effect].value;
      for (const Part& b : sum) {
        variance += a.weight * b.weight * estimate.covariance[a.effect * effects.size() + b.effect];
      }
    }
    result.coefficients.push_back({set, {}, value});
    result.standard_errors.push_back(std::sqrt(std::max(0.0, variance)));
  }
  return result;
}

namespace {

int largest_order_of(int64_t players, int asked) {
  if (players < 2 || players > kMostSparsePlayers) {
    fail(ErrorKind::argument, "players", "effects are estimated for games of 2 to {} players; got {}",
         kMostSparsePlayers, players);
  }
  return static_cast<int>(std::min<int64_t>(asked <= 0 ? kMostSparseOrder : asked, players));
}

}  // namespace

RegisterEffectEstimator::RegisterEffectEstimator(EffectEstimator estimator) {
  const std::string name = estimator.name;
  EffectEstimatorRegistry::instance().add(name, std::move(estimator));
}

const EffectEstimator& effect_estimator_named(const std::string& name) {
  if (const EffectEstimator* found = EffectEstimatorRegistry::instance().find(name)) return *found;
  std::vector<std::string> names;
  for (const auto& entry : EffectEstimatorRegistry::instance().entries()) names.push_back(entry.first);
  fail(ErrorKind::argument, "estimator", "there is no such estimator; got {}; {}", name, expected_one_of(name, names));
}

SparseRequest checked_request(const Game& game, const SparseRequest& request, int64_t least_budget) {
  const int64_t players = game.players();
  if (request.largest_order < 0 || request.largest_order > kMostSparseOrder) {
    fail(ErrorKind::argument, "order", "effects of 1 to {} players can be estimated; got {}", kMostSparseOrder,
         request.largest_order);
  }
  if (!(request.aim >= 0 && request.aim < 1)) {
    fail(ErrorKind::argument, "aim", "the aimed error is a share of the variance; got {}; expected 0 to 1",
         request.aim);
  }
  SparseRequest checked = request;
  checked.largest_order = largest_order_of(players, request.largest_order);
  for (auto& candidate : checked.hints.candidates) {
    std::sort(candidate.set.begin(), candidate.set.end());
    const bool twice = std::adjacent_find(candidate.set.begin(), candidate.set.end()) != candidate.set.end();
    if (candidate.set.empty() || twice || candidate.set.front() < 0 || candidate.set.back() >= players) {
      fail(ErrorKind::argument, "hints", "a candidate is a set of players of the game, each of them once");
    }
  }
  std::stable_sort(checked.hints.candidates.begin(), checked.hints.candidates.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  if (request.budget < least_budget) {
    fail(ErrorKind::argument, "budget",
         "too few evaluations to find effects of {} players; got {}; expected at least {}", players, request.budget,
         least_budget);
  }
  return checked;
}

SparseEstimate estimate_sparse(Game& game, const SparseRequest& request) {
  const EffectEstimator& estimator = effect_estimator_named(request.estimator);
  const int order = largest_order_of(game.players(), request.largest_order);
  return estimator.estimate(game, checked_request(game, request, estimator.least_budget(game.players(), order)));
}

}  // namespace ascribe::core
