#include "study/estimated_effects.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "game/estimators/shapley_estimators.h"
#include "methods/pair_hints.h"
#include "methods/spread.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kHintShare = 10;      // of the budget, at most, as passes for derivatives
constexpr int64_t kLookedUpShare = 20;  // one of so many evaluations
constexpr size_t kMostLookedUp = 8;     // players of an effect that is looked up
constexpr double kWeak = 0.5;           // R2 below which the effects say little

Effects singles(const std::vector<double>& values, double output, double baseline_output) {
  Effects effects;
  effects.players = std::ssize(values);
  effects.order = 1;
  effects.output = output;
  effects.baseline_output = baseline_output;
  effects.remainder = effects.change();
  for (size_t p = 0; p < values.size(); ++p) {
    effects.effects.push_back({{static_cast<int>(p)}, {}, values[p]});
    effects.remainder -= values[p];
  }
  return effects;
}

// v of sets that are asked for again and again, all new ones at once.
class LookedUp {
 public:
  explicit LookedUp(Game& game) : game_(game), fresh_(game.players()) { want({}); }

  // Coalitions that are still to be asked for, if this set and all inside of it are.
  void want(const std::vector<int>& set) {
    for (uint64_t inside = 0; inside < uint64_t{1} << set.size(); ++inside) {
      const std::vector<int64_t> members = members_of(set, inside);
      if (!values_.try_emplace(members, 0.0).second) continue;
      order_.push_back(members);
      fresh_.add(std::span<const int64_t>(members));
    }
  }
  int64_t count() const { return std::ssize(order_); }
  void ask(const Progress& progress) {
    const std::vector<double> values = game_.values(fresh_, progress);
    for (size_t i = 0; i < values.size(); ++i) values_[order_[i]] = values[i];
  }
  // J(S).
  double effect(const std::vector<int>& set) const {
    double sum = 0;
    for (uint64_t inside = 0; inside < uint64_t{1} << set.size(); ++inside) {
      const bool odd = (set.size() - static_cast<size_t>(std::popcount(inside))) % 2 == 1;
      sum += (odd ? -1 : 1) * values_.at(members_of(set, inside));
    }
    return sum;
  }

 private:
  static std::vector<int64_t> members_of(const std::vector<int>& set, uint64_t inside) {
    std::vector<int64_t> members;
    for (size_t i = 0; i < set.size(); ++i) {
      if ((inside >> i & 1) != 0) members.push_back(set[i]);
    }
    return members;
  }

  Game& game_;
  Coalitions fresh_;
  std::vector<std::vector<int64_t>> order_;
  std::map<std::vector<int64_t>, double> values_;
};

// The strongest effects, for at most so many evaluations.
void look_up(EstimatedEffects& found, Game& game, int64_t most, const Progress& progress) {
  const std::vector<Effect>& effects = found.estimate.effects.effects;
  found.exact.assign(effects.size(), std::nullopt);
  LookedUp values(game);
  std::vector<size_t> chosen;
  for (const size_t i : found.by_magnitude()) {
    const size_t players = effects[i].support.size();
    if (players > kMostLookedUp || values.count() + (int64_t{1} << players) > most) continue;
    values.want(effects[i].support);
    chosen.push_back(i);
  }
  if (chosen.empty()) return;
  values.ask(progress);
  double miss = 0, drawn = 0;
  for (const size_t i : chosen) {
    found.exact[i] = values.effect(effects[i].support);
    miss += std::pow(*found.exact[i] - effects[i].value, 2);
    drawn += std::pow(found.estimate.standard_errors[i], 2);
  }
  found.looked_up = std::ssize(chosen);
  found.misfit = std::sqrt(std::max(0.0, miss - drawn) / static_cast<double>(chosen.size()));
  found.estimate.evaluations += values.count();
  found.estimate.effects.evaluations += values.count();
}

}  // namespace

std::vector<double> EstimatedEffects::standard_errors() const {
  std::vector<double> errors;
  for (const double drawn : estimate.standard_errors) errors.push_back(std::hypot(drawn, misfit));
  return errors;
}

std::vector<double> EstimatedEffects::intervals() const {
  return half_widths(standard_errors(), estimate.degrees_of_freedom);
}

std::vector<size_t> EstimatedEffects::by_magnitude() const {
  const std::vector<Effect>& effects = estimate.effects.effects;
  std::vector<size_t> ranking(effects.size());
  std::iota(ranking.begin(), ranking.end(), 0);
  std::stable_sort(ranking.begin(), ranking.end(),
                   [&](size_t a, size_t b) { return std::abs(effects[a].value) > std::abs(effects[b].value); });
  return ranking;
}

const SparseIndex* EstimatedEffects::index(const std::string& name) const {
  for (const SparseIndex& one : indices) {
    if (one.index->name == name) return &one;
  }
  return nullptr;
}

EstimatedEffects estimated_effects(Game& game, ExplainedModel& model, const Question& question,
                                   const EstimateWish& wish, const Progress& progress) {
  EstimatedEffects found;
  SparseRequest request;
  if (!wish.estimator.empty()) request.estimator = wish.estimator;
  request.budget = wish.budget;
  request.seed = wish.seed;
  request.aim = wish.aim;
  request.largest_order = wish.order;
  request.progress = progress;
  PairHints hints = pair_hints(model, question, wish.budget / kHintShare, progress);
  found.passes = hints.passes;
  found.candidates = std::move(hints.candidates);
  found.never_meet = hints.never_meet;
  request.hints = std::move(hints.hints);
  // A part of the evaluations is for looking up what was found.
  const EffectEstimator& estimator = effect_estimator_named(request.estimator);
  const int64_t least = estimator.least_budget(game.players(), std::max(1, request.largest_order));
  const int64_t looking = std::clamp<int64_t>(wish.budget - least, 0, wish.budget / kLookedUpShare);
  request.budget -= looking;
  found.estimate = estimate_sparse(game, request);
  look_up(found, game, looking, progress);
  for (const char* name : {"shapley", "sii", "stii", "fsii"}) {
    const InteractionIndex& index = index_named(name);
    found.indices.push_back(index_of_sparse(index, found.estimate, std::min(2, index.most_order)));
  }
  return found;
}

std::vector<double> DirectIndex::intervals() const { return half_widths(standard_errors, degrees_of_freedom); }

DirectIndex direct_index(const InteractionIndex& index, Game& game, int64_t evaluations, uint64_t seed,
                         const Progress& progress) {
  DirectIndex direct;
  const int64_t before = game.evaluations();
  if (index.name == "shapley") {
    ShapleyEstimate values = estimate_by_leverage(game, {evaluations, seed, progress});
    direct.effects = singles(values.values, values.full, values.empty);
    direct.standard_errors = std::move(values.standard_errors);
    direct.degrees_of_freedom = values.degrees_of_freedom;
  } else {
    Estimate estimate = estimate_index(index.name, game, {evaluations, seed, progress});
    direct.effects = std::move(estimate.effects);
    direct.standard_errors = std::move(estimate.standard_errors);
    direct.degrees_of_freedom = estimate.degrees_of_freedom;
  }
  direct.evaluations = game.evaluations() - before;
  return direct;
}

void hold_against(DirectIndex& direct, const SparseIndex& derived, double degrees_of_freedom) {
  struct Known {
    double value = 0, width = 0;
  };
  std::map<std::vector<int>, Known> known;
  const std::vector<double> widths = half_widths(derived.standard_errors, degrees_of_freedom);
  for (size_t i = 0; i < widths.size(); ++i) {
    known[derived.effects.effects[i].support] = {derived.effects.effects[i].value, widths[i]};
  }
  const std::vector<double> own = direct.intervals();
  for (size_t i = 0; i < own.size(); ++i) {
    const Effect& effect = direct.effects.effects[i];
    const auto other = known.find(effect.support);
    const Known there = other == known.end() ? Known{} : other->second;
    ++direct.compared;
    if (std::abs(effect.value - there.value) <= std::hypot(own[i], there.width)) ++direct.agree;
  }
}

std::string held_out_text(const HeldOut& held_out) {
  if (!held_out.defined) {
    return fmt::format("nothing to explain: {} coalitions that were not used have the same value", held_out.coalitions);
  }
  return fmt::format("R2 {:.4g} +- {:.2g} on {} coalitions that were not used: misses {:.3g} of a spread of {:.3g}",
                     held_out.r2, held_out.r2_error, held_out.coalitions, held_out.rmse, held_out.spread);
}

std::string weak_text(const HeldOut& held_out) {
  if (!held_out.defined || held_out.r2 >= kWeak) return "";
  return fmt::format(
      "the effects explain little of what masked inputs do (R2 {:.2g} where they were not fitted): the model has more, "
      "or weaker, effects than this budget finds; more evaluations or fewer, larger players may do",
      held_out.r2);
}

}  // namespace ascribe::core::study
