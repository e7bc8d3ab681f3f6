#include "cli/audit/print.h"

#include <cmath>

#include "cli/program.h"
#include "cli/shared_options.h"

namespace ascribe::core::cli {

namespace {

using study::AuditedAllocation;
using study::AuditResult;
using study::NumbersAudit;
using study::percent;
using study::with_share;

// "yes", "no (8.1 %)"
std::string verdict_text(const PrincipleFigures& figures, Principle principle) {
  if (figures.holds(principle)) return "yes";
  return fmt::format("no ({})", study::figure_text(figures[principle]));
}

// ---- in general ----

void print_general(const std::vector<study::MethodPrinciples>& all) {
  fmt::print(
      "Three principles, measured on fixed generic questions: from the methods as they run, and from their "
      "rules\n\n");
  Lines lines = {{"method", "low error", "by rule", "no unrelated", "by rule", "complete", "by rule"}};
  for (const study::MethodPrinciples& one : all) {
    std::vector<std::string> line = {one.method.name};
    for (const Principle principle : kPrinciples) {
      line.push_back(verdict_text(one.by_method, principle));
      line.push_back(verdict_text(one.by_rule, principle));
    }
    lines.push_back(std::move(line));
  }
  print_columns(lines, 2);
  fmt::print(
      "\n  low error: the effects that the method covers make up f(x) - f(b), to 1 %\n"
      "  no unrelated: no effect reaches a player that takes no part in it, to 1e-6 of what is given\n"
      "  complete: of every effect that is covered all is given, and once, to 1e-6 of the effects\n");
}

// ---- of methods on a question ----

void print_words(const AuditedAllocation& one) {
  fmt::print("\n  {}: {} of 3 principles hold here; {:+.5g} was given for a change of {:+.5g}\n",
             printable(one.chosen.method.name), one.audit.figures.held(), one.audit.sum, one.audit.change);
  for (const std::string& sentence : one.sentences) fmt::print("    {}\n", printable(spelled(sentence)));
}

void print_methods(const AuditResult& result) {
  const SetAllocation& first = result.methods[0].allocation;
  print_question(*result.question, result.model, first.baseline_output(), first.change());
  Lines lines = {
      {"method", "given", "left unexplained", "counted again", "leaked", "low error", "no unrelated", "complete"}};
  for (const AuditedAllocation& one : result.methods) {
    const QuestionAudit& audit = one.audit;
    lines.push_back({printable(one.chosen.method.name), fmt::format("{:+.4g}", audit.sum),
                     percent(audit.unexplained / audit.change), percent(audit.counted_again / audit.change),
                     percent(audit.leaked / std::abs(audit.change)), verdict_text(audit.figures, Principle::low_error),
                     verdict_text(audit.figures, Principle::no_unrelated),
                     verdict_text(audit.figures, Principle::complete)});
  }
  print_columns(lines, 2);
  fmt::print(
      "\n  Shares are of the change; given = change - left unexplained + counted again + what is given with "
      "every player masked.\n");
  for (const AuditedAllocation& one : result.methods) print_words(one);
}

// ---- of numbers ----

void print_players(const NumbersAudit& audit, const Players& players) {
  Lines lines = {{"player", "got", "at least", "at most", ""}};
  for (size_t p = 0; p < audit.values.size(); ++p) {
    const double got = audit.values[p], least = audit.feasible.least_of[p], most = audit.feasible.most_of[p];
    std::string remark;
    if (got < least - audit.tolerance) remark = "too little";
    if (got > most + audit.tolerance) remark = "too much";
    if (audit.is_dummy(p)) remark += remark.empty() ? "no effect at all" : ": no effect at all";
    lines.push_back({printable(players.names[p]), fmt::format("{:+.4g}", got), fmt::format("{:+.4g}", least),
                     fmt::format("{:+.4g}", most), remark});
  }
  print_columns(lines, 2);
}

void print_numbers(const AuditResult& result) {
  const NumbersAudit& audit = *result.numbers;
  print_question(*result.question, result.model, audit.baseline_output, audit.change());
  const Players& players = result.question->players;
  print_players(audit, players);
  fmt::print("\n  The values sum to {:+.5g}; {} of the change is left unexplained.\n", audit.sum(),
             with_share(audit.residual(), audit.change()));
  if (audit.dummies.empty()) fmt::print("  Every player has some effect.\n");
  else {
    fmt::print("  Players without any effect: {}; they got {} in all.\n", audit.dummies.size(),
               with_share(audit.to_dummies(), audit.change()));
  }
  if (audit.possible()) {
    fmt::print(
        "  It could have come from an allocation that gives every effect to its own players only, and all of "
        "it once.\n");
    return;
  }
  const FeasibleAllocation& feasible = audit.feasible;
  const uint64_t everybody = (uint64_t{1} << players.count()) - 1;
  fmt::print(
      "  No allocation that gives every effect to its own players only, and all of it once, has this result: "
      "values would have to change by {} in all.\n",
      with_share(feasible.distance, audit.change()));
  if (feasible.got < feasible.least - audit.tolerance) {
    fmt::print("  Together, {} got {:+.4g}, where any such allocation gives them {:+.4g} or more.\n",
               printable(study::players_text(players, feasible.short_players)), feasible.got, feasible.least);
  }
  if (feasible.rest_got > feasible.rest_most + audit.tolerance) {
    fmt::print("  Together, {} got {:+.4g}, where any such allocation gives them {:+.4g} or less.\n",
               printable(study::players_text(players, everybody ^ feasible.short_players)), feasible.rest_got,
               feasible.rest_most);
  }
}

}  // namespace

void print_audit(const AuditResult& result) {
  if (result.numbers) print_numbers(result);
  else if (result.question) print_methods(result);
  else print_general(result.general);
}

}  // namespace ascribe::core::cli
