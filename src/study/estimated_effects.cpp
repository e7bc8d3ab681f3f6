#include "study/estimated_effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "game/estimators/shapley_estimators.h"
#include "methods/pair_hints.h"
#include "methods/spread.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kHintShare = 10;       // of the budget, at most, as passes for derivatives
constexpr int64_t kVerifyingShare = 5;   // one of so many evaluations
constexpr int64_t kCandidateShare = 20;  // one of so many, for pairs that derivatives point to
constexpr double kWeak = 0.5;            // R2 below which the effects say little

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

std::vector<size_t> largest_first(std::vector<size_t> effects, const std::function<double(size_t)>& value) {
  std::stable_sort(effects.begin(), effects.end(),
                   [&](size_t a, size_t b) { return std::abs(value(a)) > std::abs(value(b)); });
  return effects;
}

// What looked-up effects are off by beyond drawing.
double misfit_of(const EstimatedEffects& found) {
  double miss = 0, drawn = 0, count = 0;
  for (size_t i = 0; i < found.verified.alone.size(); ++i) {
    if (!found.verified.alone[i]) continue;
    miss += std::pow(*found.verified.alone[i] - found.estimate.effects.effects[i].value, 2);
    drawn += std::pow(found.estimate.standard_errors[i], 2);
    ++count;
  }
  return count > 0 ? std::sqrt(std::max(0.0, miss - drawn) / count) : 0;
}

}  // namespace

std::vector<double> EstimatedEffects::standard_errors() const {
  std::vector<double> errors;
  for (const double drawn : estimate.standard_errors) errors.push_back(std::hypot(drawn, misfit));
  return errors;
}

std::vector<double> EstimatedEffects::fit_intervals() const {
  return half_widths(standard_errors(), estimate.degrees_of_freedom);
}

std::vector<size_t> EstimatedEffects::by_magnitude() const {
  std::vector<size_t> all(estimate.effects.effects.size());
  std::iota(all.begin(), all.end(), 0);
  return largest_first(std::move(all), [&](size_t i) { return estimate.effects.effects[i].value; });
}

double EstimatedEffects::alone(size_t effect) const {
  return verified.alone[effect].value_or(estimate.effects.effects[effect].value);
}

double EstimatedEffects::alone_interval(size_t effect) const {
  if (verified.alone[effect]) return 0;
  const auto players = std::ssize(estimate.effects.effects[effect].support);
  return verified.off && players <= verified.off_players ? *verified.off : std::numeric_limits<double>::infinity();
}

std::vector<AloneEffect> EstimatedEffects::by_verified() const {
  std::vector<AloneEffect> known;
  for (size_t i = 0; i < verified.alone.size(); ++i) {
    if (!verified.alone[i] && std::abs(alone(i)) <= alone_interval(i)) continue;
    known.push_back({estimate.effects.effects[i].support, alone(i), alone_interval(i), i});
  }
  for (const Effect& effect : verified.beside) known.push_back({effect.support, effect.value, 0, std::nullopt});
  std::stable_sort(known.begin(), known.end(),
                   [](const AloneEffect& a, const AloneEffect& b) { return std::abs(a.value) > std::abs(b.value); });
  return known;
}

std::vector<size_t> EstimatedEffects::by_company() const {
  std::vector<size_t> known;
  for (size_t i = 0; i < verified.in_company.size(); ++i) {
    if (verified.in_company[i]) known.push_back(i);
  }
  return largest_first(std::move(known), [&](size_t i) { return verified.in_company[i]->value; });
}

double EstimatedEffects::company_interval(size_t effect) const {
  const InCompany& mean = *verified.in_company[effect];
  return half_widths(std::span(&mean.standard_error, 1), static_cast<double>(mean.draws) - 1)[0];
}

const SparseIndex* EstimatedEffects::index(const std::string& name) const {
  for (const SparseIndex& one : indices) {
    if (one.index->name == name) return &one;
  }
  return nullptr;
}

bool told_in_company(const EstimatedEffects& found) {
  return std::any_of(found.verified.in_company.begin(), found.verified.in_company.end(),
                     [](const auto& one) { return one.has_value(); });
}

int64_t asked_anew(const EstimatedEffects& found, size_t least_players) {
  const bool company = told_in_company(found);
  int64_t count = 0;
  for (size_t i = 0; i < found.verified.alone.size(); ++i) {
    const bool asked = company ? found.verified.in_company[i].has_value() : found.verified.alone[i].has_value();
    if (asked && found.estimate.effects.effects[i].support.size() >= least_players) ++count;
  }
  return count;
}

std::vector<VerifiedSet> verified_sets(const EstimatedEffects& found, size_t least_players, size_t most) {
  const bool company = told_in_company(found);
  std::vector<VerifiedSet> sets;
  if (company) {
    for (const size_t i : found.by_company()) {
      sets.push_back(
          {found.estimate.effects.effects[i].support, found.verified.in_company[i]->value, found.company_interval(i)});
    }
  } else {
    for (const AloneEffect& one : found.by_verified()) sets.push_back({one.players, one.value, one.interval});
  }
  std::erase_if(sets, [&](const VerifiedSet& set) {  // small ones, and what may be nothing
    return set.players.size() < least_players || std::abs(set.value) <= set.interval;
  });
  if (sets.size() > most) sets.resize(most);
  return sets;
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
  // A part of the evaluations is for holding what was found against the network.
  const EffectEstimator& estimator = effect_estimator_named(request.estimator);
  const int64_t least = estimator.least_budget(game.players(), std::max(1, request.largest_order));
  Verification asked{.seed = wish.seed, .progress = progress};
  asked.budget = std::clamp<int64_t>(wish.budget - least, 0, wish.budget / kVerifyingShare);
  request.budget -= asked.budget;
  if (wish.order != 1 && !request.hints.candidates.empty()) {
    asked.candidates = request.hints.candidates;
    asked.candidate_budget = std::clamp<int64_t>(request.budget - least, 0, wish.budget / kCandidateShare);
    request.budget -= asked.candidate_budget;
  }
  found.estimate = estimate_sparse(game, request);
  found.verified = verify_effects(game, found.estimate, asked);
  found.misfit = misfit_of(found);
  found.estimate.evaluations += found.verified.evaluations;
  found.estimate.effects.evaluations += found.verified.evaluations;
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

std::string looked_up_text(const VerifiedEffects& verified) {
  const std::string others =
      verified.looked_up == std::ssize(verified.alone) ? "which are all"
      : verified.off ? fmt::format("19 in 20 of the others of at most {} players are off by less than {:.2g}",
                                   verified.off_players, *verified.off)
                     : "too few for an interval of the others";
  const std::string beside =
      verified.beside.empty() ? ""
                              : fmt::format(" and of {} more pairs that derivatives point to", verified.beside.size());
  return fmt::format("J(S) of {} effects{}, exactly; {}", verified.looked_up, beside, others);
}

std::string weak_text(const HeldOut& held_out) {
  if (!held_out.defined || held_out.r2 >= kWeak) return "";
  return fmt::format(
      "the effects explain little of what masked inputs do (R2 {:.2g} where they were not fitted): the model has more, "
      "or weaker, effects than this budget finds; more evaluations or fewer, larger players may do",
      held_out.r2);
}

}  // namespace ascribe::core::study
