// ascribe audit MODEL INPUT: where an attribution went on this very question.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/audit.h"
#include "cli/terminal.h"
#include "game/subsets.h"
#include "theory/question_audit.h"

namespace ascribe {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

constexpr double kWorthSaying = 1e-4;  // of the change
constexpr size_t kListed = 10;         // flows and sets in a JSON document

struct Audited {
  const ChosenMethod& chosen;
  SetAllocation allocation;
  QuestionAudit audit;
  double seconds = 0;
};

// ---- in words ----

std::string name_of(const Players& players, int p) { return printable(players.names[static_cast<size_t>(p)]); }

void say_unexplained(const QuestionAudit& audit, const Players& players) {
  if (std::abs(audit.unexplained) < kWorthSaying * std::abs(audit.change)) {
    fmt::print("    Nothing is left unexplained.\n");
    return;
  }
  fmt::print("    Left unexplained: {} of the change.", with_share(audit.unexplained, audit.change));
  for (const Imbalance& one : audit.imbalances) {
    if (share_given(one.given, one.effect) >= 1) continue;
    fmt::print(" Most of all the effect of {} ({:+.4g}, of which {:+.4g} was given).", players_text(players, one.set),
               one.effect, one.given);
    break;
  }
  fmt::print("\n");
}

void say_counted_again(const QuestionAudit& audit, const Players& players) {
  const bool any =
      !audit.repetitions.empty() && std::abs(audit.repetitions[0].amount) >= kWorthSaying * std::abs(audit.change);
  if (!any && std::abs(audit.counted_again) < kWorthSaying * std::abs(audit.change)) {
    fmt::print("    Nothing is counted several times.\n");
    return;
  }
  const bool more = audit.counted_again * audit.change >= 0;
  fmt::print("    {}: {}.", more ? "Counted several times" : "Given with the wrong sign, on balance",
             with_share(audit.counted_again, audit.change));
  if (any) {
    const Flow& most = audit.repetitions[0];
    const std::string who = most.from == most.to ? name_of(players, most.from) + " does alone"
                                                 : fmt::format("{} and {} do together", name_of(players, most.from),
                                                               name_of(players, most.to));
    fmt::print(" Most of all what {}: {} too {}.", who, with_share(most.amount, audit.change),
               most.amount * audit.change >= 0 ? "much" : "little");
  }
  fmt::print("\n");
}

// A method that multiplies by the input gives 0 to a player at 0, whatever it does inside.
bool cannot_leak(const Method& method, const Tensor& baselines) {
  if (method.baselines) return false;
  const auto values = baselines.data<double>();
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

void say_leaked(const QuestionAudit& audit, const Players& players, bool invisible) {
  if (audit.figures.holds(Principle::no_unrelated)) {
    fmt::print("    Nothing leaked: a player that is masked gets nothing.{}\n",
               invisible ? " But against the baseline 0 this method could not show a leak; try --baseline mean." : "");
    return;
  }
  size_t most = 0;
  for (size_t p = 1; p < audit.unrelated.size(); ++p) {
    if (std::abs(audit.unrelated[p]) > std::abs(audit.unrelated[most])) most = p;
  }
  fmt::print(
      "    Leaked to players that take no part: {} of all that was given, effect by effect; {} of the change in "
      "the end.",
      percent(audit.figures.no_unrelated), percent(audit.leaked / std::abs(audit.change)));
  fmt::print(" {} gets {:+.4g} even when it alone is masked.", name_of(players, static_cast<int>(most)),
             audit.unrelated[most]);
  if (!audit.leaks.empty()) {
    const Flow& flow = audit.leaks[0];
    fmt::print(" Largest misallocation: {} of what {} does without {} went to {}.",
               with_share(flow.amount, audit.change), name_of(players, flow.from), name_of(players, flow.to),
               name_of(players, flow.to));
  }
  fmt::print("\n");
}

void print_words(const Audited& one, const Players& players, const Tensor& baselines) {
  const QuestionAudit& audit = one.audit;
  fmt::print("\n  {}: {} of 3 principles hold here; {:+.5g} was given for a change of {:+.5g}\n",
             one.chosen.method.name, audit.figures.held(), audit.sum, audit.change);
  say_unexplained(audit, players);
  say_counted_again(audit, players);
  if (std::abs(audit.without_players) >= kWorthSaying * std::abs(audit.change)) {
    fmt::print("    With every player masked {} is still given: it belongs to f(b), not to the change.\n",
               with_share(audit.without_players, audit.change));
  }
  say_leaked(audit, players, cannot_leak(one.chosen.method, baselines));
  if (!one.allocation.exact) {
    fmt::print("    Its values were sampled, or an integral missed its tolerance: small figures may be that.\n");
  }
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
  for (const Audited& one : all) print_words(one, asked.question.players, asked.question.baselines);
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

}  // namespace ascribe
