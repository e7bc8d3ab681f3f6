#include "study/estimated_judgement.h"

#include <algorithm>
#include <cmath>

#include "methods/question_game.h"
#include "methods/spread.h"

namespace ascribe::core::study {

namespace {

constexpr int64_t kJudgedEvaluations = 20000, kJudgedPerPlayer = 12;
constexpr double kJudgedPerPlayerSeconds = 2e-5;  // of looking for effects, for each evaluation
constexpr double kJudgedShareOfTime = 0.6;
constexpr double kLeastR2 = 0.5;  // below it the effects that were found do not stand for those that are there

// w of each player of a set of this size; rules of sets do not ask which players they are.
double weight_of(const AllocationRule& rule, size_t size) {
  const std::vector<int> degree(size, 1);
  return weights(rule, {}, degree)[0];
}

}  // namespace

const AllocationRule* rule_of_sets(const ChosenMethod& chosen) {
  if (chosen.own || chosen.method.name == "occlusion_patch") return nullptr;  // its windows are not the players
  const AllocationRule* rule = AllocationRegistry::instance().find(chosen.method.name);
  const bool of_sets = rule != nullptr && rule->level == AllocationLevel::baseline && rule->depends_on_support_only;
  if (!of_sets) return nullptr;
  const auto& parameters = chosen.parameters.all();
  const auto distribution = parameters.find("distribution");
  return distribution == parameters.end() || distribution->second == "marginal" ? rule : nullptr;
}

EstimatedEffects effects_within(const FewPlayers& asked, Spending& spending, const TimeKeeping& time,
                                const Running& running) {
  const Question& question = asked.question;
  const int64_t least = kJudgedPerPlayer * question.players.count();
  int64_t budget = std::max(kJudgedEvaluations, least);
  double seconds = 0;
  if (spending.limited()) {
    const Pace pace = spending.told(
        [&] { return time.pace ? time.pace(asked.model) : measured_pace(asked.model, question, spending.clock()); });
    const double each = std::max(pace.forward * static_cast<double>(question.baseline_count()), 1e-9) +
                        kJudgedPerPlayerSeconds * static_cast<double>(question.players.count());
    budget = std::min(budget, static_cast<int64_t>(kJudgedShareOfTime * spending.left() / each));
    seconds = static_cast<double>(least) * each;
  }
  if (budget < least) {
    fail(ErrorKind::argument, "budget",
         "effects of {} players take {} evaluations, about {}; got {}; expected a larger `budget`, or fewer `players`",
         question.players.count(), least, seconds_text(seconds), seconds_text(spending.budget()));
  }
  Game game = question_game(asked.model, question);
  return estimated_effects(game, asked.model, question, {.budget = budget, .seed = running.seed()},
                           running.progress_of("estimated effects"));
}

EstimatedComparison compare_estimated(EstimatedEffects found, const std::vector<double>& first,
                                      const std::vector<double>& second, const AllocationRule& one,
                                      const AllocationRule& other) {
  EstimatedComparison comparison;
  double square = 0;
  for (size_t p = 0; p < first.size(); ++p) square += std::pow(first[p] - second[p], 2);
  const std::vector<double> widths = found.fit_intervals();
  for (size_t i = 0; i < widths.size(); ++i) {
    const Effect& effect = found.estimate.effects.effects[i];
    EstimatedDifference set{effect.support, effect.value, widths[i]};
    const double by_one = weight_of(one, effect.support.size()), by_other = weight_of(other, effect.support.size());
    set.first = by_one * effect.value;
    set.second = by_other * effect.value;
    double along = 0;  // <D(S), d> for an effect of 1
    for (const int p : effect.support) along += (by_one - by_other) * (first[p] - second[p]);
    if (square > 0) {
      set.share = along * effect.value / square;
      set.share_error = std::abs(along) * widths[i] / square;
    }
    comparison.explained += set.share;
    comparison.sets.push_back(std::move(set));
  }
  std::stable_sort(comparison.sets.begin(), comparison.sets.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.share) > std::abs(b.share); });
  comparison.found = std::move(found);
  return comparison;
}

EstimatedPrinciples judge_estimated(const ChosenMethod& chosen, const AllocationRule& rule,
                                    const EstimatedEffects& found, DType real) {
  EstimatedPrinciples principles{chosen, {}, {}, {}};
  const SparseEstimate& estimate = found.estimate;
  const std::vector<double> errors = found.standard_errors();
  double sizes = 0, missed = 0, uncovered = 0;
  const auto beyond = [&](const Effect& effect) {  // what all players together are given of it, less 1
    const auto size = static_cast<double>(effect.support.size());
    return size * weight_of(rule, effect.support.size()) - 1;
  };
  for (const Effect& effect : estimate.effects.effects) {
    sizes += std::abs(effect.value);
    missed += std::abs(beyond(effect) * effect.value);
    if (weight_of(rule, effect.support.size()) == 0) uncovered += std::abs(effect.value);
  }
  if (sizes > 0) {
    principles.figures = {uncovered / sizes, 0, missed / sizes};
    // A ratio of sums: what one effect more would change.
    double low = 0, complete = 0;
    for (size_t i = 0; i < estimate.effects.effects.size(); ++i) {
      const Effect& effect = estimate.effects.effects[i];
      const double covered = weight_of(rule, effect.support.size()) == 0 ? 1 : 0;
      low += std::pow((covered - principles.figures.low_error) * errors[i], 2);
      complete += std::pow((std::abs(beyond(effect)) - principles.figures.complete) * errors[i], 2);
    }
    principles.errors = {kSureOfErrors * std::sqrt(low) / sizes, 0, kSureOfErrors * std::sqrt(complete) / sizes};
  } else {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    principles.figures = {kNone, kNone, kNone};
  }
  principles.verdicts = judge(principles.figures, principles.errors, real, "the effects are estimated");
  if (!estimate.held_out.defined || estimate.held_out.r2 < kLeastR2) {
    // Where effects are missing, only a rule that treats all of them alike can be judged.
    for (const Principle principle : kPrinciples) {
      Verdict& verdict = principles.verdicts.all[static_cast<size_t>(principle)];
      if (verdict.figure == 0 && verdict.error == 0) continue;
      verdict.holds = std::nullopt;
      verdict.reason = "the effects that were found explain too little";
    }
  }
  return principles;
}

Json basis_json(const EstimatedEffects& found) {
  const HeldOut& held_out = found.estimate.held_out;
  return Json::object({{"estimator", found.estimate.estimator},
                       {"evaluations", found.estimate.evaluations},
                       {"effects", found.estimate.effects.effects.size()},
                       {"not_found", found.estimate.effects.remainder},
                       {"held_out_coalitions", held_out.coalitions},
                       {"r2", held_out.defined ? Json(held_out.r2) : Json()},
                       {"r2_error", held_out.defined ? Json(held_out.r2_error) : Json()}});
}

std::string basis_text(const EstimatedEffects& found) {
  return fmt::format("{} effects, estimated from {} evaluations by {}: {}", found.estimate.effects.effects.size(),
                     found.estimate.evaluations, found.estimate.estimator, held_out_text(found.estimate.held_out));
}

}  // namespace ascribe::core::study
