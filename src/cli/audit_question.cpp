// ascribe audit MODEL INPUT: where an attribution went on this very question.
#include <chrono>

#include "cli/audit.h"
#include "cli/audit_words.h"
#include "cli/terminal.h"
#include "game/subsets.h"
#include "theory/question_audit.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

constexpr size_t kListed = 10;  // flows and sets in a JSON document

struct Audited {
  const ChosenMethod& chosen;
  SetAllocation allocation;
  QuestionAudit audit;
  double seconds = 0;
};

// ---- in words ----

void print_words(const Audited& one, const Question& question) {
  const QuestionAudit& audit = one.audit;
  fmt::print("\n  {}: {} of 3 principles hold here; {:+.5g} was given for a change of {:+.5g}\n",
             one.chosen.method.name, audit.figures.held(), audit.sum, audit.change);
  const AuditedMethod audited{one.chosen.method, audit, one.allocation.exact};
  for (const std::string& sentence : audit_sentences(audited, question)) fmt::print("    {}\n", sentence);
}

void print_audits(const std::vector<Audited>& all, const FewPlayersQuestion& asked, const AuditRequest& request) {
  const SetAllocation& first = all[0].allocation;
  print_question(asked, request, first.baseline_output(), first.change());
  Lines lines = {
      {"method", "given", "left unexplained", "counted again", "leaked", "low error", "no unrelated", "complete"}};
  for (const Audited& one : all) {
    const QuestionAudit& audit = one.audit;
    lines.push_back({one.chosen.method.name, fmt::format("{:+.4g}", audit.sum),
                     percent(audit.unexplained / audit.change), percent(audit.counted_again / audit.change),
                     percent(audit.leaked / std::abs(audit.change)), verdict_text(audit.figures, Principle::low_error),
                     verdict_text(audit.figures, Principle::no_unrelated),
                     verdict_text(audit.figures, Principle::complete)});
  }
  print_columns(lines, 2);
  fmt::print(
      "\n  Shares are of the change; given = change - left unexplained + counted again + what is given with "
      "every player masked.\n");
  for (const Audited& one : all) print_words(one, asked.question);
}

// ---- as JSON ----

Json flows_as_json(const std::vector<Flow>& flows) {
  Json list = Json::array();
  for (const Flow& flow : flows) {
    if (list.size() == kListed) break;
    list.push_back({{"from", flow.from}, {"to", flow.to}, {"amount", flow.amount}});
  }
  return list;
}

Json imbalances_as_json(const std::vector<Imbalance>& imbalances) {
  Json list = Json::array();
  for (const Imbalance& one : imbalances) {
    if (list.size() == kListed) break;
    list.push_back({{"support", members_of(one.set)}, {"effect", one.effect}, {"given", one.given}});
  }
  return list;
}

Json audit_as_json(const Audited& one) {
  const QuestionAudit& audit = one.audit;
  return {{"name", one.chosen.method.name},
          {"parameters", one.chosen.parameters.all()},
          {"values", one.allocation.attribution()},
          {"sum", audit.sum},
          {"left_unexplained", audit.unexplained},
          {"counted_again", audit.counted_again},
          {"given_without_players", audit.without_players},
          {"leaked", audit.leaked},
          {"unrelated", audit.unrelated},
          {"leaks", flows_as_json(audit.leaks)},
          {"repetitions", flows_as_json(audit.repetitions)},
          {"sets", imbalances_as_json(audit.imbalances)},
          {"exact", one.allocation.exact},
          {"attributions", one.allocation.attributions},
          {"evaluations", one.allocation.evaluations},
          {"seconds", one.seconds},
          {"notes", one.allocation.notes}};
}

}  // namespace

void audit_on_question(const AuditRequest& request) {
  using Clock = std::chrono::steady_clock;
  const std::vector<ChosenMethod> methods = choose_methods(request.methods, request.settings);
  FewPlayersQuestion asked = ask_few_players(request);
  cost_of_allocation(asked.question);
  print_notes(asked.notes, request.general.quiet);
  std::vector<Audited> all;
  Json left_out = Json::array();
  for (const ChosenMethod& chosen : methods) {
    const auto start = Clock::now();
    try {
      SetAllocation allocation = allocation_of(chosen, asked, request.general);
      QuestionAudit audit = audit_question(allocation);
      all.push_back({chosen, std::move(allocation), std::move(audit),
                     std::chrono::duration<double>(Clock::now() - start).count()});
    } catch (const Error& error) {
      if (!may_be_left_out(chosen, error.kind())) throw;
      left_out.push_back({{"name", chosen.method.name}, {"reason", error.what()}});
      print_notes({fmt::format("{} is left out: {}", chosen.method.name, error.what())}, request.general.quiet);
    }
  }
  if (all.empty()) fail(ErrorKind::unsupported, "--method", "no method can be run on this model");
  if (!request.general.json) return print_audits(all, asked, request);
  const SetAllocation& first = all[0].allocation;
  Json json = question_as_json(asked, request, first.baseline_output(), first.change());
  json["audit"] = Json::array();
  json["methods"] = Json::array();
  for (const Audited& one : all) {
    add_verdicts(json["audit"], one.chosen.method.name, one.audit.figures, "method");
    json["methods"].push_back(audit_as_json(one));
  }
  json["left_out"] = left_out;
  json["notes"] = asked.notes;
  print_json(json);
}

}  // namespace ascribe::core
