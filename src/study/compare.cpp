#include "study/compare.h"

#include <algorithm>
#include <cmath>

#include "game/subsets.h"
#include "methods/foreign.h"
#include "methods/shared_work.h"

namespace ascribe::core::study {

namespace {

constexpr double kSame = 1e-9;  // of the attribution: two that differ by less are the same

// Of the attribution: what its values may be off in all.
double error_of(const SetAllocation& allocation) {
  if (allocation.doubt.empty()) return 0;
  double sum = 0;
  for (int p = 0; p < allocation.players; ++p) sum += allocation.error(p, allocation.sets() - 1);
  return sum;
}

void note_doubts(const CompareResult& result, Running& running) {
  for (size_t i = 0; i < 2; ++i) {
    const SetAllocation& one = i == 0 ? result.first : result.second;
    if (!one.baselines.empty()) {
      running.note(fmt::format("{} explains against its own baselines: {}", result.name(i), one.baselines));
    }
    if (!one.exact && result.errors[i] > 0) {
      running.note(fmt::format("{} may be off by {:.2g} in all: {}", result.name(i), result.errors[i], one.doubt));
    }
  }
}

[[noreturn]] void refuse_to_take(double seconds, const Spending& spending) {
  fail(ErrorKind::argument, "budget",
       "the comparison would take {} {}; got {}; expected a larger `budget`, or fewer `players`",
       seconds > spending.budget() ? "about" : "more than", seconds_text(std::max(seconds, spending.budget())),
       seconds_text(spending.budget()));
}

// The effort of each, with or without a limit of time.
Effort effort_of(const FittingAudits& fitting, size_t method, const Spending& spending) {
  const Effort usual = usual_effort(fitting.asked);
  return spending.limited() ? fitting.plan.effort(method, usual, fitting.pace) : usual;
}

void compare_by_effect(CompareResult& result, const FittingAudits& fitting, Spending& spending, Running& running) {
  const FewPlayers& asked = fitting.asked;
  const SharedWork shared(asked.model);
  if (fitting.plan.total() > spending.left()) refuse_to_take(fitting.plan.total(), spending);
  for (size_t i = 0; i < 2; ++i) {
    const bool done = spending.within(spending.left(), {result.name(i), fitting.plan.seconds[i]},
                                      running.progress_of(result.name(i)), [&](const Progress& progress) {
                                        SettledAudit settled = settled_of(result.methods[i], asked, running,
                                                                          effort_of(fitting, i, spending), progress);
                                        result.errors[i] = error_of(settled.allocation);
                                        (i == 0 ? result.first : result.second) = std::move(settled.allocation);
                                        result.effects = std::max(result.effects, settled.audit.effects);
                                      });
    if (!done) refuse_to_take(0, spending);
  }
  const double at_baseline = result.first.baseline_output();
  result.values = {at_baseline + result.first.change(), at_baseline};
  note_doubts(result, running);
  result.comparison = compare_allocations(result.first, result.second);
}

// Numbers say nothing of masked inputs, so the values are all there is.
void compare_by_player(CompareResult& result, const FewPlayers& asked, Running& running) {
  std::vector<Attribution> answers;
  for (const ChosenMethod& chosen : result.methods) {
    if (chosen.method.kind != AttributionKind::contribution) {
      fail(ErrorKind::argument, chosen.method.name, "gives slopes, which are not shares of f(x) - f(b)");
    }
    const Question& question = asked.question;
    answers.push_back(attribute(chosen.method, asked.model, std::span(&question, 1), chosen.parameters, running.seed(),
                                running.progress_of(chosen.method.name))[0]);
    if (is_given(chosen.method)) {
      running.note(
          fmt::format("{} is numbers that were given: how they share effects is not known, so the two are "
                      "compared player by player",
                      chosen.method.name));
    }
  }
  for (size_t i = 0; i < 2; ++i) {
    for (const double error : answers[i].standard_errors) result.errors[i] += kSureOfErrors * error;
  }
  result.values = {answers[0].output, asked.model.baseline_output(asked.question)};
  result.comparison = compare_values(std::move(answers[0].values), std::move(answers[1].values));
}

// More players than every set can be masked of: the difference by effects that are estimated, where rules say how both
// methods share them.
void explain_by_estimate(CompareResult& result, const FewPlayers& asked, Spending& spending, const TimeKeeping& time,
                         Running& running) {
  const int64_t players = asked.question.players.count();
  const AllocationRule *one = rule_of_sets(result.methods[0]), *other = rule_of_sets(result.methods[1]);
  if (one == nullptr || other == nullptr) {
    running.note(fmt::format(
        "of {} players the two are compared player by player: how {} shares effects of many players is not "
        "known; at most {} `players` are compared effect by effect",
        players, (one == nullptr ? result.methods[0] : result.methods[1]).method.name, kMostAllocatedPlayers));
    return;
  }
  result.estimated = compare_estimated(effects_within(asked, spending, time, running), result.comparison.first,
                                       result.comparison.second, *one, *other);
  for (const Effect& effect : result.estimated->found.estimate.effects.effects)
    result.effects += std::abs(effect.value);
  if (const std::string weak = weak_text(result.estimated->found.estimate.held_out); !weak.empty()) running.note(weak);
}

}  // namespace

bool CompareResult::same() const {
  double size = 0;
  for (const double value : comparison.first) size += std::abs(value);
  return comparison.difference <= kSame * size;
}

CompareResult compare(const Subject& subject, const CompareRequest& request) {
  Spending spending(Budget::parse(request.budget), request.time);
  Running running(request.run);
  std::vector<ChosenMethod> methods = choose_methods({request.first, request.second}, request.settings);
  if (methods.size() != 2) {
    fail(ErrorKind::argument, "compare", "got {} twice; expected two methods", request.first.name);
  }
  FewPlayers asked = ask_few_players(subject, request.question, running);
  CompareResult result{.model = subject.path(), .question = {}, .methods = std::move(methods)};
  result.by_player = is_given(result.methods[0].method) || is_given(result.methods[1].method);
  if (result.by_player) {
    compare_by_player(result, asked, running);
    result.notes = running.notes();
    result.question = std::move(asked.question);
    return result;
  }
  join_weak_players(asked, request.question, running);
  if (asked.question.players.count() > kMostAllocatedPlayers) {
    result.by_player = true;
    compare_by_player(result, asked, running);
    explain_by_estimate(result, asked, spending, request.time, running);
    result.notes = running.notes();
    result.question = std::move(asked.question);
    return result;
  }
  cost_of_allocation(asked.question);
  FittingAudits fitting = fit_audits(std::move(asked), result.methods, request.question, request.time, spending);
  note_cuts(spending, running);
  compare_by_effect(result, fitting, spending, running);
  result.notes = running.notes();
  result.question = std::move(fitting.asked.question);
  return result;
}

Json to_json(const CompareResult& result, int64_t top) {
  const Comparison& comparison = result.comparison;
  Json json = question_json(result.model, result.question, result.values.baseline_output, result.values.change());
  Json methods = Json::list(), pairs = Json::list(), sets = Json::list();
  for (size_t i = 0; i < 2; ++i) {
    methods.push(Json::object({{"name", result.name(i)},
                               {"parameters", result.methods[i].parameters.all()},
                               {"error", result.errors[i]},
                               {"values", i == 0 ? comparison.first : comparison.second}}));
  }
  for (const PairDifference& pair : comparison.pairs) {
    pairs.push(Json::object({{"players", std::vector{pair.first, pair.second}}, {"share", pair.share}}));
  }
  for (const SetDifference& one : comparison.sets) {
    if (static_cast<int64_t>(sets.size()) == top) break;
    sets.push(Json::object({{"support", members_of(one.set)},
                            {"effect", one.effect},
                            {"share", one.share},
                            {"first", one.first},
                            {"second", one.second}}));
  }
  json["methods"] = std::move(methods);
  json["difference"] = comparison.difference;
  json["cosine"] = comparison.correlation;
  json["same"] = result.same();
  if (!result.by_player) {
    json["effects_size"] = result.effects;
    json["share_with_every_player_masked"] = comparison.share_by_size[0];
    json["share_by_size"] = comparison.share_by_size;
    json["pairs"] = std::move(pairs);
    json["sets"] = std::move(sets);
  }
  if (result.estimated) {
    Json estimated = basis_json(result.estimated->found), differences = Json::list();
    for (const EstimatedDifference& one : result.estimated->sets) {
      if (static_cast<int64_t>(differences.size()) == top) break;
      differences.push(Json::object({{"support", one.support},
                                     {"effect", one.effect},
                                     {"effect_error", one.effect_error},
                                     {"share", one.share},
                                     {"share_error", one.share_error},
                                     {"first", one.first},
                                     {"second", one.second}}));
    }
    estimated["explained"] = result.estimated->explained;
    estimated["sets"] = std::move(differences);
    json["estimated"] = std::move(estimated);
  }
  json["notes"] = result.notes;
  return json;
}

}  // namespace ascribe::core::study
