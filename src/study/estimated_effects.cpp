#include "study/estimated_effects.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "game/estimators/shapley_estimators.h"
#include "methods/pair_hints.h"
#include "methods/spread.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kHintShare = 10;  // of the budget, at most, as passes for derivatives
constexpr double kWeak = 0.5;       // R2 below which the effects say little

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

}  // namespace

std::vector<double> EstimatedEffects::intervals() const {
  return half_widths(estimate.standard_errors, estimate.degrees_of_freedom);
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
  effect_estimator_named(request.estimator);  // before any work
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
  found.estimate = estimate_sparse(game, request);
  for (const char* name : {"shapley", "sii", "stii", "fsii"}) {
    const InteractionIndex& index = index_named(name);
    found.indices.push_back(index_of_sparse(index, found.estimate, std::min(2, index.most_order)));
  }
  return found;
}

std::vector<double> DirectIndex::intervals() const { return half_widths(standard_errors, degrees_of_freedom); }

DirectIndex direct_index(const SparseIndex& derived, double degrees_of_freedom, Game& game, int64_t evaluations,
                         uint64_t seed, const Progress& progress) {
  DirectIndex direct;
  const int64_t before = game.evaluations();
  if (derived.index->name == "shapley") {
    ShapleyEstimate values = estimate_by_leverage(game, {evaluations, seed, progress});
    direct.effects = singles(values.values, values.full, values.empty);
    direct.standard_errors = std::move(values.standard_errors);
    direct.degrees_of_freedom = values.degrees_of_freedom;
  } else {
    Estimate estimate = estimate_index(derived.index->name, game, {evaluations, seed, progress});
    direct.effects = std::move(estimate.effects);
    direct.standard_errors = std::move(estimate.standard_errors);
    direct.degrees_of_freedom = estimate.degrees_of_freedom;
  }
  direct.evaluations = game.evaluations() - before;
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
  return direct;
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
