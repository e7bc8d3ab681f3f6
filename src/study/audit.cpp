#include "study/audit.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/file.h"
#include "game/effects.h"
#include "game/moebius.h"
#include "game/subsets.h"
#include "methods/foreign.h"
#include "methods/question_game.h"
#include "methods/shared_work.h"
#include "study/audit_words.h"
#include "tensor/npy.h"
#include "theory/probes.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kLargestFile = size_t{1} << 30;
constexpr double kRounding = 1e-6;             // of the effects, or of the numbers: what a file in float is off anyway
constexpr double kNoEffect = 1e-12;            // of the effects: what a sum of 2^m numbers leaves of nothing
constexpr int64_t kMostWorkOfTerms = 300'000;  // multiply-adds per row: thousands of points are asked about
constexpr size_t kListed = 10;                 // flows and sets in a JSON document

// ---- numbers ----

std::vector<double> given_numbers(const AuditRequest& request, const Players& players) {
  if (request.values) return values_per_player(*request.values, players, "attribution");
  const std::string& path = request.attribution;
  const Tensor wide = parse_npy(read_file(path, kLargestFile), path).values.cast(DType::f64);
  return values_per_player(wide.data<double>(), players, path);
}

// What an effect of all players may be off.
double rounding_of_effects(const Dividends& dividends, DType real) {
  double largest = 0;
  std::vector<double> outputs = dividends.values;
  zeta_transform(outputs);
  for (const double output : outputs) largest = std::max(largest, std::abs(output));
  return (real == DType::f64 ? 0x1p-50 : 0x1p-21) * largest * std::sqrt(static_cast<double>(outputs.size()));
}

NumbersAudit audit_numbers(const AuditRequest& request, const FewPlayers& asked, const Running& running) {
  NumbersAudit audit;
  audit.name = request.attribution;
  audit.values = given_numbers(request, asked.question.players);
  Game game = question_game(asked.model, asked.question);
  const Dividends dividends = exact_dividends(game, asked.model.memory(), false, running.progress());
  audit.baseline_output = dividends.values[0];
  audit.output = std::accumulate(dividends.values.begin(), dividends.values.end(), 0.0);
  for (size_t set = 1; set < dividends.values.size(); ++set) audit.effects += std::abs(dividends.values[set]);
  const double rounding = rounding_of_effects(dividends, asked.model.real());
  double sizes = 0;
  for (const double value : audit.values) sizes += std::abs(value);
  audit.tolerance = std::max(kRounding * std::max(audit.effects, sizes), rounding);
  audit.dummies = dummy_players(dividends.values, audit.tolerance);
  audit.balanced = balanced_groups(audit.values, dividends.values, std::max(kNoEffect * audit.effects, rounding));
  audit.feasible = feasible_allocation(audit.values, dividends.values);
  return audit;
}

// ---- methods ----

// What cannot be asked about inputs on a grid has an audit per set all the same.
TermAudit terms_of(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running,
                   const Progress& progress) {
  TermAudit none;
  if (asked.model.model().cost().macs_per_row > kMostWorkOfTerms) none.left_out = "the network is too large";
  if (chosen.own) none.left_out = "a method of the caller's is asked about masked inputs only";
  if (!none.left_out.empty()) return none;
  try {
    return audit_terms(chosen.method, asked.model, asked.question, chosen.given, running.seed(), progress);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::internal) throw;
    none.left_out = error.what();
    return none;
  }
}

AuditedAllocation audited(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running,
                          const Effort& effort, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  SettledAudit settled = settled_of(chosen, asked, running, effort, progress);
  TermAudit terms = terms_of(chosen, asked, running, progress);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::vector<std::string> sentences =
      audit_sentences({chosen.method, settled.audit, settled.allocation}, asked.question);
  if (terms.left_out.empty()) sentences.push_back(terms_sentence(terms, asked.question.players));
  return {
      chosen,  std::move(settled.parameters), std::move(settled.allocation), std::move(settled.audit), std::move(terms),
      seconds, std::move(sentences)};
}

// One of them; nothing is found if there was no time for it. Gives the time that there was.
double audit_within(const ChosenMethod& chosen, const FittingAudits& fitting, size_t number, Spending& spending,
                    const Running& running, std::optional<AuditedAllocation>& found) {
  Effort effort = usual_effort(fitting.asked);
  const double planned = fitting.plan.seconds[number];
  const double most = spending.at_least(spending.left());
  if (planned > most) return most;
  if (spending.limited()) effort = fitting.plan.effort(number, effort, fitting.pace);
  spending.within(
      most, {chosen.method.name, planned}, running.progress_of(chosen.method.name),
      [&](const Progress& progress) { found.emplace(audited(chosen, fitting.asked, running, effort, progress)); });
  return most;
}

void audit_methods(AuditResult& result, const std::vector<ChosenMethod>& methods, const FittingAudits& fitting,
                   Spending& spending, Running& running) {
  std::vector<std::optional<AuditedAllocation>> found(methods.size());
  std::vector<std::string> reasons(methods.size());
  for (const size_t i : cheapest_first(fitting.plan)) {
    const ChosenMethod& chosen = methods[i];
    try {
      const double most = audit_within(chosen, fitting, i, spending, running, found[i]);
      if (found[i]) continue;
      reasons[i] = fmt::format(
          "there is no time for it: it would take {} {}, of {} that were left; a larger `budget` or "
          "fewer `players` may do",
          fitting.plan.seconds[i] > most ? "about" : "more than", seconds_text(std::max(fitting.plan.seconds[i], most)),
          seconds_text(most));
    } catch (const Error& error) {
      if (!may_be_left_out(chosen, error.kind())) throw;
      reasons[i] = error.what();
    }
  }
  for (size_t i = 0; i < methods.size(); ++i) {
    if (found[i]) {
      result.methods.push_back(std::move(*found[i]));
      continue;
    }
    result.left_out.push_back({methods[i].method.name, reasons[i]});
    running.note(fmt::format("{} is left out: {}", methods[i].method.name, reasons[i]));
  }
  if (result.methods.empty()) {
    fail(ErrorKind::unsupported, "method", "no method can be run on this model{}",
         reasons.empty() ? "" : fmt::format("; {}: {}", methods[0].method.name, reasons[0]));
  }
}

// ---- as JSON ----

// {method, principle, figure, error, tolerance, verdict, reason, measured_by}, one for each principle.
void add_verdicts(Json& list, const std::string& method, const Verdicts& verdicts, const char* measured_by) {
  for (const Principle principle : kPrinciples) {
    Json one = Json::object({{"method", method}, {"principle", to_string(principle)}});
    const Json verdict = to_json(verdicts[principle]);
    for (const JsonMember& member : verdict.members()) one[member.key] = member.value;
    one["measured_by"] = measured_by;
    list.push(std::move(one));
  }
}

// In general nothing is estimated.
Verdicts general_verdicts(const PrincipleFigures& figures) { return judge(figures, {}, DType::f64, ""); }

Json flows_json(std::span<const Flow> flows) {
  Json list = Json::list();
  for (const Flow& flow : flows.first(std::min(kListed, flows.size()))) {
    list.push(Json::object({{"from", flow.from}, {"to", flow.to}, {"amount", flow.amount}}));
  }
  return list;
}

Json imbalances_json(std::span<const Imbalance> imbalances) {
  Json list = Json::list();
  for (const Imbalance& one : imbalances.first(std::min(kListed, imbalances.size()))) {
    list.push(Json::object({{"support", members_of(one.set)}, {"effect", one.effect}, {"given", one.given}}));
  }
  return list;
}

// {order, terms, remainder, low_error, no_unrelated, complete}, or {left_out}
Json terms_json(const TermAudit& terms) {
  if (!terms.left_out.empty()) return Json::object({{"left_out", terms.left_out}});
  return Json::object({{"order", terms.order},
                       {"terms", static_cast<int64_t>(terms.terms.size()) - 1},
                       {"remainder", terms.remainder},
                       {"low_error", to_json(terms.verdicts[Principle::low_error])},
                       {"no_unrelated", to_json(terms.verdicts[Principle::no_unrelated])},
                       {"complete", to_json(terms.verdicts[Principle::complete])}});
}

Json method_json(const AuditedAllocation& one) {
  const QuestionAudit& audit = one.audit;
  return Json::object({{"name", one.chosen.method.name},
                       {"parameters", one.parameters.all()},
                       {"values", one.allocation.attribution()},
                       {"baselines_drawn", one.allocation.baselines},
                       {"baseline_output", one.allocation.baseline_output()},
                       {"change", audit.change},
                       {"effects_size", audit.effects},
                       {"sum", audit.sum},
                       {"left_unexplained", audit.unexplained.net},
                       {"left_unexplained_size", audit.unexplained.size},
                       {"counted_again", audit.counted_again.net},
                       {"counted_again_size", audit.counted_again.size},
                       {"given_without_players", audit.without_players},
                       {"leaked", audit.leaked.net},
                       {"leaked_size", audit.leaked.size},
                       {"held", audit.verdicts.held()},
                       {"left_open", audit.verdicts.open()},
                       {"unrelated", audit.unrelated},
                       {"leaks", flows_json(audit.leaks)},
                       {"repetitions", flows_json(audit.repetitions)},
                       {"sets", imbalances_json(audit.imbalances)},
                       {"taylor_terms", terms_json(one.terms)},
                       {"exact", one.allocation.exact},
                       {"attributions", one.allocation.attributions},
                       {"evaluations", one.allocation.evaluations},
                       {"seconds", one.seconds},
                       {"notes", one.allocation.notes}});
}

Json methods_json(const AuditResult& result) {
  Json json =
      question_json(result.model, *result.question, result.baseline_output, result.output - result.baseline_output);
  Json verdicts = Json::list(), methods = Json::list();
  for (const AuditedAllocation& one : result.methods) {
    add_verdicts(verdicts, one.chosen.method.name, one.audit.verdicts, "method");
    methods.push(method_json(one));
  }
  json["audit"] = std::move(verdicts);
  json["methods"] = std::move(methods);
  json["left_out"] = result.left_out;
  return json;
}

Json estimated_json(const AuditResult& result) {
  Json json =
      question_json(result.model, *result.question, result.baseline_output, result.output - result.baseline_output);
  Json verdicts = Json::list();
  for (const EstimatedPrinciples& one : result.by_estimate) {
    add_verdicts(verdicts, one.chosen.method.name, one.verdicts, "rule, on estimated effects");
  }
  json["audit"] = std::move(verdicts);
  json["estimated"] = basis_json(*result.estimated);
  json["left_out"] = result.left_out;
  return json;
}

Json numbers_json(const AuditResult& result) {
  const NumbersAudit& audit = *result.numbers;
  Json json = question_json(result.model, *result.question, audit.baseline_output, audit.change());
  json["attribution"] = audit.name;
  json["values"] = audit.values;
  json["sum"] = audit.sum();
  json["residual"] = audit.residual();
  json["dummies"] = audit.dummies;
  json["given_to_dummies"] = audit.to_dummies();
  json["effects_size"] = audit.effects;
  json["tolerance"] = audit.tolerance;
  json["allocation_possible"] = audit.possible();
  json["distance"] = audit.balanced.distance;
  Json groups = Json::list();
  for (const BalancedGroup& group : audit.balanced.groups) {
    groups.push(Json::object({{"support", members_of(group.players)}, {"got", group.got}, {"effects", group.effects}}));
  }
  json["groups"] = std::move(groups);
  json["without_negative_shares"] =
      Json::object({{"allocation_possible", audit.possible_without_negative_shares()},
                    {"distance", audit.feasible.distance},
                    {"too_little", Json::object({{"support", members_of(audit.feasible.short_players)},
                                                 {"got", audit.feasible.got},
                                                 {"at_least", audit.feasible.least}})},
                    {"at_least", audit.feasible.least_of},
                    {"at_most", audit.feasible.most_of}});
  return json;
}

// Numbers are not those of a method that is run.
void check_one_subject(const AuditRequest& request) {
  if (!request.of_numbers()) return;
  const bool all = request.methods.empty() || (request.methods.size() == 1 && request.methods[0].name == "all");
  if (all && request.settings.empty()) return;
  fail(ErrorKind::argument, "attribution",
       "numbers are audited as they are, and no method is run; got {} as well; expected either `attribution` or "
       "`method`",
       all ? "settings of methods" : "methods");
}

}  // namespace

double NumbersAudit::sum() const { return std::accumulate(values.begin(), values.end(), 0.0); }

double NumbersAudit::to_dummies() const {
  double given = 0;
  for (const int p : dummies) given += std::abs(values[static_cast<size_t>(p)]);
  return given;
}

bool NumbersAudit::is_dummy(size_t player) const {
  return std::find(dummies.begin(), dummies.end(), static_cast<int>(player)) != dummies.end();
}

std::vector<MethodPrinciples> measured_principles(const std::vector<ChosenMethod>& methods) {
  std::vector<MethodPrinciples> all;
  for (const ChosenMethod& chosen : methods) {
    const ProbeSubject subject{chosen.method, chosen.parameters, allocation_rule(chosen.method.name)};
    all.push_back({chosen.method, principles_of(ask_method(subject)), principles_of(ask_rule(subject))});
  }
  return all;
}

namespace {

// More players than every set can be masked of: methods whose rule says how they share effects of sets.
void audit_by_estimate(AuditResult& result, const std::vector<ChosenMethod>& methods, const FewPlayers& asked,
                       Spending& spending, const TimeKeeping& time, Running& running) {
  const int64_t players = asked.question.players.count();
  std::vector<std::pair<const ChosenMethod*, const AllocationRule*>> judged;
  for (const ChosenMethod& chosen : methods) {
    if (const AllocationRule* rule = rule_of_sets(chosen)) {
      judged.emplace_back(&chosen, rule);
      continue;
    }
    result.left_out.push_back(
        {chosen.method.name,
         fmt::format("how it shares effects of {} players is not known by a rule; it is measured for "
                     "at most {} `players`",
                     players, kMostAllocatedPlayers)});
  }
  if (judged.empty()) {
    fail(
        ErrorKind::argument, "players",
        "got {} players ({}); expected at most {}, or a method whose rule says how it shares effects of many: shapley, "
        "occlusion or prediction_difference",
        players, asked.question.players.description, kMostAllocatedPlayers);
  }
  result.output = asked.model.values(asked.question.point, std::array{asked.question.target})[0];
  result.baseline_output = asked.model.baseline_output(asked.question);
  result.estimated = effects_within(asked, spending, time, running);
  for (const auto& [chosen, rule] : judged) {
    result.by_estimate.push_back(judge_estimated(*chosen, *rule, *result.estimated, asked.model.real()));
  }
  if (const std::string weak = weak_text(result.estimated->estimate.held_out); !weak.empty()) running.note(weak);
}

}  // namespace

AuditResult audit(const AuditRequest& request) {
  if (request.of_numbers()) {
    fail(ErrorKind::argument, "attribution", "expected the model and the data that the attribution is about");
  }
  const Running running(request.run);
  AuditResult result;
  result.general = measured_principles(choose_methods(request.methods, request.settings));
  return result;
}

AuditResult audit(const Subject& subject, const AuditRequest& request) {
  if (request.in_general()) {
    fail(ErrorKind::argument, "audit", "a model without data; expected both, or neither");
  }
  check_one_subject(request);
  Spending spending(Budget::parse(request.budget), request.time);
  Running running(request.run);
  const std::vector<ChosenMethod> methods =
      request.of_numbers() ? std::vector<ChosenMethod>() : choose_methods(request.methods, request.settings);
  FewPlayers asked = ask_few_players(subject, request.question, running);
  AuditResult result;
  result.model = subject.path();
  if (request.of_numbers()) {
    result.numbers = audit_numbers(request, asked, running);
    result.notes = running.notes();
  } else {
    join_weak_players(asked, request.question, running);
    if (asked.question.players.count() > kMostAllocatedPlayers) {
      audit_by_estimate(result, methods, asked, spending, request.time, running);
      result.notes = running.notes();
      result.question = std::move(asked.question);
      return result;
    }
    cost_of_allocation(asked.question);
    FittingAudits fitting = fit_audits(std::move(asked), methods, request.question, request.time, spending);
    note_cuts(spending, running);
    result.notes = running.notes();
    const FewPlayers& few = fitting.asked;
    const SharedWork shared(few.model);
    result.output = few.model.values(few.question.point, std::array{few.question.target})[0];
    result.baseline_output = few.model.baseline_output(few.question);
    audit_methods(result, methods, fitting, spending, running);
    result.question = std::move(fitting.asked.question);
    return result;
  }
  result.question = std::move(asked.question);
  return result;
}

Json to_json(const AuditResult& result) {
  if (!result.question) {
    Json list = Json::list();
    for (const MethodPrinciples& one : result.general) {
      add_verdicts(list, one.method.name, general_verdicts(one.by_method), "method");
      add_verdicts(list, one.method.name, general_verdicts(one.by_rule), "rule");
    }
    return Json::object({{"audit", std::move(list)}});
  }
  Json json = result.numbers ? numbers_json(result) : result.estimated ? estimated_json(result) : methods_json(result);
  json["notes"] = result.notes;
  return json;
}

}  // namespace ascribe::core::study
