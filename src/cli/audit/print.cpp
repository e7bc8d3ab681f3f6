#include "cli/audit/print.h"

#include <bit>
#include <cmath>
#include <map>

#include <fmt/ranges.h>

#include "cli/program.h"
#include "cli/shared_options.h"

namespace ascribe::core::cli {

namespace {

using study::AuditedAllocation;
using study::AuditResult;
using study::NumbersAudit;
using study::percent;
using study::with_share;

std::string general_text(const PrincipleFigures& figures, Principle principle) {
  return figures.holds(principle) ? "yes" : fmt::format("no ({})", study::figure_text(figures[principle]));
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
      line.push_back(general_text(one.by_method, principle));
      line.push_back(general_text(one.by_rule, principle));
    }
    lines.push_back(std::move(line));
  }
  print_columns(lines, 2);
  fmt::print(
      "\n  low error: the method covers the effects that make up f(x) - f(b), to 1 % of their sizes\n"
      "  no unrelated: no effect reaches a player that takes no part in it, to 1e-6 of what is given\n"
      "  complete: of every effect that is covered all is given, and once, to 1e-6 of the effects\n");
}

// ---- of methods on a question ----

void print_words(const AuditedAllocation& one) {
  fmt::print("\n  {}: {}; {:+.5g} was given for a change of {:+.5g}\n", printable(one.chosen.method.name),
             study::held_text(one.audit.verdicts), one.audit.sum, one.audit.change);
  for (const std::string& sentence : one.sentences) fmt::print("    {}\n", printable(spelled(sentence)));
}

std::string share_text(double size, const QuestionAudit& audit) {
  if (audit.effects > 0) return percent(size / audit.effects);
  return size == 0 ? "0" : fmt::format("{:.3g}", size);
}

// A line for each reason.
void print_left_out_terms(const AuditResult& result) {
  std::map<std::string, std::vector<std::string>> methods;
  for (const AuditedAllocation& one : result.methods) {
    if (!one.terms.left_out.empty()) methods[one.terms.left_out].push_back(printable(one.chosen.method.name));
  }
  for (const auto& [reason, names] : methods) {
    const bool all = names.size() == result.methods.size();
    fmt::print("\n  Not judged per Taylor term{}: {}.\n", all ? "" : fmt::format(" ({})", fmt::join(names, ", ")),
               printable(spelled(reason)));
  }
}

void print_methods(const AuditResult& result) {
  print_question(*result.question, result.model, result.baseline_output, result.output - result.baseline_output);
  Lines lines = {
      {"method", "given", "left unexplained", "counted again", "leaked", "low error", "no unrelated", "complete"}};
  for (const AuditedAllocation& one : result.methods) {
    const QuestionAudit& audit = one.audit;
    std::vector<std::string> line = {printable(one.chosen.method.name), fmt::format("{:+.4g}", audit.sum),
                                     share_text(audit.unexplained.size, audit),
                                     share_text(audit.counted_again.size, audit), share_text(audit.leaked.size, audit)};
    for (const Principle principle : kPrinciples) line.push_back(study::verdict_text(audit.verdicts[principle]));
    lines.push_back(std::move(line));
  }
  print_columns(lines, 2);
  const QuestionAudit& first = result.methods[0].audit;
  if (first.effects == 0) fmt::print("\n  No set of players has an effect: f is the same for every masked input.\n");
  else {
    fmt::print(
        "\n  Shares are of all effects, {:.4g} in all: sizes are added, so that effects of opposite signs do not hide "
        "each other.\n",
        first.effects);
  }
  if (const std::string text = study::cancelling_text(first.change, first.effects); !text.empty()) {
    fmt::print("  {}\n", text);
  }
  for (const AuditedAllocation& one : result.methods) print_words(one);
  print_left_out_terms(result);
}

// ---- of more players than every set can be masked of ----

std::string estimated_text(const Verdict& verdict) {
  const bool exact = verdict.error == 0;
  return exact ? study::verdict_text(verdict)
               : fmt::format("{} ({} +- {})", verdict.holds ? *verdict.holds ? "yes" : "no" : "open",
                             study::figure_text(verdict.figure), percent(verdict.error));
}

void print_estimated(const AuditResult& result) {
  print_question(*result.question, result.model, result.baseline_output, result.output - result.baseline_output);
  Lines lines = {{"method", "low error", "no unrelated", "complete"}};
  for (const study::EstimatedPrinciples& one : result.by_estimate) {
    std::vector<std::string> line = {printable(one.chosen.method.name)};
    for (const Principle principle : kPrinciples) line.push_back(estimated_text(one.verdicts[principle]));
    lines.push_back(std::move(line));
  }
  print_columns(lines, 2);
  fmt::print(
      "\n  Estimated: the methods' rules, applied to {}.\n  Figures carry the errors of the effects; what the errors "
      "may "
      "have caused is left open. Fewer players are measured.\n",
      study::basis_text(*result.estimated));
  for (const study::LeftOut& left : result.left_out) {
    fmt::print("  {}: {}\n", printable(left.method), printable(spelled(left.reason)));
  }
}

// ---- of numbers ----

void print_players(const NumbersAudit& audit, const Players& players) {
  Lines lines = {{"player", "got", "at least", "at most", ""}};
  for (size_t p = 0; p < audit.values.size(); ++p) {
    const double got = audit.values[p], least = audit.feasible.least_of[p], most = audit.feasible.most_of[p];
    std::string remark;
    if (got < least - audit.tolerance) remark = "less";
    if (got > most + audit.tolerance) remark = "more";
    if (audit.is_dummy(p)) remark += remark.empty() ? "no effect at all" : ": no effect at all";
    lines.push_back({printable(players.names[p]), fmt::format("{:+.4g}", got), fmt::format("{:+.4g}", least),
                     fmt::format("{:+.4g}", most), remark});
  }
  print_columns(lines, 2);
  fmt::print("\n  at least, at most: of each player alone, as long as no share of an effect is negative\n");
}

std::string residual_text(const NumbersAudit& audit) {
  return std::abs(audit.residual()) <= audit.tolerance ? "nothing" : with_share(audit.residual(), audit.effects);
}

// What the paper asks: every effect to its own players, and all of it once, in shares of any sign.
void print_any_shares(const NumbersAudit& audit, const Players& players) {
  if (audit.possible()) {
    fmt::print(
        "  It could have come from an allocation that gives every effect to its own players only, and all of it once "
        "(principles 2 and 3).\n");
    return;
  }
  fmt::print(
      "  No allocation that gives every effect to its own players only, and all of it once, has this result, whatever "
      "the shares: values would have to change by {} in all.\n",
      with_share(audit.balanced.distance, audit.effects));
  for (const BalancedGroup& group : audit.balanced.groups) {
    if (std::abs(group.missing()) <= audit.tolerance) break;
    const bool one = std::popcount(group.players) == 1;
    fmt::print("  {} got {:+.4g}{}, where {} effects sum to {:+.4g}{}.\n",
               printable(study::players_text(players, group.players)), group.got, one ? "" : " together",
               one ? "its" : "their", group.effects, one ? "" : ", and no effect connects them with others");
  }
}

// More than the paper asks: no player's share of an effect has the sign against it.
void print_shares_of_one_sign(const NumbersAudit& audit, const Players& players) {
  if (audit.possible_without_negative_shares()) {
    fmt::print("  This is possible without negative shares, too.\n");
    return;
  }
  const FeasibleAllocation& feasible = audit.feasible;
  const uint64_t everybody = (uint64_t{1} << players.count()) - 1;
  fmt::print(
      "  But only with negative shares of some effects, as Integrated Gradients has them where terms of one effect "
      "have opposite signs; without, values would have to change by {} in all.\n",
      with_share(feasible.distance, audit.effects));
  if (feasible.got < feasible.least - audit.tolerance) {
    fmt::print("  Together, {} got {:+.4g}, where shares that are not negative give them {:+.4g} or more.\n",
               printable(study::players_text(players, feasible.short_players)), feasible.got, feasible.least);
  }
  if (feasible.rest_got > feasible.rest_most + audit.tolerance) {
    fmt::print("  Together, {} got {:+.4g}, where shares that are not negative give them {:+.4g} or less.\n",
               printable(study::players_text(players, everybody ^ feasible.short_players)), feasible.rest_got,
               feasible.rest_most);
  }
}

void print_numbers(const AuditResult& result) {
  const NumbersAudit& audit = *result.numbers;
  print_question(*result.question, result.model, audit.baseline_output, audit.change());
  const Players& players = result.question->players;
  print_players(audit, players);
  fmt::print("\n  The values sum to {:+.5g}; {} of the change is left unexplained.\n", audit.sum(),
             residual_text(audit));
  if (audit.dummies.empty()) fmt::print("  Every player has some effect.\n");
  else {
    fmt::print("  Players without any effect: {}; they got {} in all.\n", audit.dummies.size(),
               with_share(audit.to_dummies(), audit.effects));
  }
  print_any_shares(audit, players);
  if (audit.possible()) print_shares_of_one_sign(audit, players);
}

}  // namespace

void print_audit(const AuditResult& result) {
  if (result.numbers) print_numbers(result);
  else if (result.estimated) print_estimated(result);
  else if (result.question) print_methods(result);
  else print_general(result.general);
}

}  // namespace ascribe::core::cli
