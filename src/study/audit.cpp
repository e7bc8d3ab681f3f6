#include "study/audit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/file.h"
#include "game/effects.h"
#include "game/subsets.h"
#include "methods/foreign.h"
#include "methods/question_game.h"
#include "study/audit_words.h"
#include "tensor/npy.h"
#include "theory/probes.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kLargestFile = size_t{1} << 30;
constexpr double kRounding = 1e-6;  // of the change: differences that a file in float has anyway
constexpr size_t kListed = 10;      // flows and sets in a JSON document

// ---- numbers ----

std::vector<double> given_numbers(const AuditRequest& request, const Players& players) {
  if (request.values) return values_per_player(*request.values, players, "attribution");
  const std::string& path = request.attribution;
  const Tensor wide = parse_npy(read_file(path, kLargestFile), path).values.cast(DType::f64);
  return values_per_player(wide.data<double>(), players, path);
}

NumbersAudit audit_numbers(const AuditRequest& request, const FewPlayers& asked, const Running& running) {
  NumbersAudit audit;
  audit.name = request.attribution;
  audit.values = given_numbers(request, asked.question.players);
  Game game = question_game(asked.model, asked.question);
  const Dividends dividends = exact_dividends(game, asked.model.memory(), false, running.progress());
  audit.baseline_output = dividends.values[0];
  audit.output = std::accumulate(dividends.values.begin(), dividends.values.end(), 0.0);
  audit.tolerance = kRounding * std::max(std::abs(audit.change()), kRounding * std::abs(audit.output));
  audit.dummies = dummy_players(dividends.values, audit.tolerance);
  audit.feasible = feasible_allocation(audit.values, dividends.values);
  return audit;
}

// ---- methods ----

AuditedAllocation audited(const ChosenMethod& chosen, const FewPlayers& asked, const Running& running) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  SetAllocation allocation = allocation_of(chosen, asked, running);
  QuestionAudit audit = audit_question(allocation);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::vector<std::string> sentences = audit_sentences({chosen.method, audit, allocation.exact}, asked.question);
  return {chosen, std::move(allocation), std::move(audit), seconds, std::move(sentences)};
}

void audit_methods(AuditResult& result, const std::vector<ChosenMethod>& methods, const FewPlayers& asked,
                   Running& running) {
  for (const ChosenMethod& chosen : methods) {
    try {
      result.methods.push_back(audited(chosen, asked, running));
    } catch (const Error& error) {
      if (!may_be_left_out(chosen, error.kind())) throw;
      result.left_out.push_back({chosen.method.name, error.what()});
      running.note(fmt::format("{} is left out: {}", chosen.method.name, error.what()));
    }
  }
  if (result.methods.empty()) fail(ErrorKind::unsupported, "method", "no method can be run on this model");
}

// ---- as JSON ----

// {method, principle, figure, tolerance, verdict, measured_by}, one for each principle.
void add_verdicts(Json& list, const std::string& method, const PrincipleFigures& figures, const char* measured_by) {
  for (const Principle principle : kPrinciples) {
    list.push(Json::object({{"method", method},
                            {"principle", to_string(principle)},
                            {"figure", figures[principle]},
                            {"tolerance", tolerance_of(principle)},
                            {"verdict", figures.holds(principle)},
                            {"measured_by", measured_by}}));
  }
}

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

Json method_json(const AuditedAllocation& one) {
  const QuestionAudit& audit = one.audit;
  return Json::object({{"name", one.chosen.method.name},
                       {"parameters", one.chosen.parameters.all()},
                       {"values", one.allocation.attribution()},
                       {"sum", audit.sum},
                       {"left_unexplained", audit.unexplained},
                       {"counted_again", audit.counted_again},
                       {"given_without_players", audit.without_players},
                       {"leaked", audit.leaked},
                       {"unrelated", audit.unrelated},
                       {"leaks", flows_json(audit.leaks)},
                       {"repetitions", flows_json(audit.repetitions)},
                       {"sets", imbalances_json(audit.imbalances)},
                       {"exact", one.allocation.exact},
                       {"attributions", one.allocation.attributions},
                       {"evaluations", one.allocation.evaluations},
                       {"seconds", one.seconds},
                       {"notes", one.allocation.notes}});
}

Json methods_json(const AuditResult& result) {
  const SetAllocation& first = result.methods[0].allocation;
  Json json = question_json(result.model, *result.question, first.baseline_output(), first.change());
  Json verdicts = Json::list(), methods = Json::list();
  for (const AuditedAllocation& one : result.methods) {
    add_verdicts(verdicts, one.chosen.method.name, one.audit.figures, "method");
    methods.push(method_json(one));
  }
  json["audit"] = std::move(verdicts);
  json["methods"] = std::move(methods);
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
  json["allocation_possible"] = audit.possible();
  json["distance"] = audit.feasible.distance;
  json["tolerance"] = audit.tolerance;
  json["too_little"] = Json::object({{"support", members_of(audit.feasible.short_players)},
                                     {"got", audit.feasible.got},
                                     {"at_least", audit.feasible.least}});
  json["at_least"] = audit.feasible.least_of;
  json["at_most"] = audit.feasible.most_of;
  return json;
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
    cost_of_allocation(asked.question);
    result.notes = running.notes();
    audit_methods(result, methods, asked, running);
  }
  result.question = std::move(asked.question);
  return result;
}

Json to_json(const AuditResult& result) {
  if (!result.question) {
    Json list = Json::list();
    for (const MethodPrinciples& one : result.general) {
      add_verdicts(list, one.method.name, one.by_method, "method");
      add_verdicts(list, one.method.name, one.by_rule, "rule");
    }
    return Json::object({{"audit", std::move(list)}});
  }
  Json json = result.numbers ? numbers_json(result) : methods_json(result);
  json["notes"] = result.notes;
  return json;
}

}  // namespace ascribe::core::study
