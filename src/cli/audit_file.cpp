// ascribe audit MODEL INPUT --attribution F.npy: what can be said of an attribution that is only numbers.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/file.h"
#include "cli/audit.h"
#include "cli/terminal.h"
#include "game/effects.h"
#include "game/subsets.h"
#include "methods/question_game.h"
#include "tensor/npy.h"
#include "theory/feasible_allocation.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

constexpr size_t kLargestFile = size_t{1} << 30;
constexpr double kRounding = 1e-6;  // of the change: differences that a file in float has anyway

struct FileAudit {
  std::vector<double> values;  // per player
  double output = 0, baseline_output = 0;
  std::vector<int> dummies;
  FeasibleAllocation feasible;
  double tolerance = 0;

  double change() const { return output - baseline_output; }
  double sum() const { return std::accumulate(values.begin(), values.end(), 0.0); }
  double residual() const { return change() - sum(); }
  double to_dummies() const {
    double given = 0;
    for (const int p : dummies) given += std::abs(values[static_cast<size_t>(p)]);
    return given;
  }
  bool possible() const { return feasible.feasible(tolerance); }
};

// A number for each player, or for each element of the row, of which a player has the sum.
std::vector<double> read_attribution(const std::string& path, const RowQuestion& question) {
  const Array array = parse_npy(read_file(path, kLargestFile), path);
  const auto elements = static_cast<int64_t>(question.players.owner.size());
  const int64_t players = question.players.count(), count = array.values.size();
  if (count != players && count != elements) {
    fail(ErrorKind::shape, path, "got {} numbers; expected one for each of the {} players or of the {} elements", count,
         players, elements);
  }
  std::vector<double> values(static_cast<size_t>(players), 0.0);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t p = count == players ? i : question.players.owner[static_cast<size_t>(i)];
    if (!std::isfinite(array.values.at(i))) fail(ErrorKind::numeric, path, "number {} is {}", i, array.values.at(i));
    if (p >= 0) values[static_cast<size_t>(p)] += array.values.at(i);
  }
  return values;
}

FileAudit audit_values(std::vector<double> values, FewPlayersQuestion& asked, const AuditRequest& request) {
  Game game = question_game(*asked.model, asked.question);
  const Dividends dividends =
      exact_dividends(game, parse_memory(request.general.memory), false, progress_bar(request.general.quiet));
  FileAudit audit;
  audit.values = std::move(values);
  audit.baseline_output = dividends.values[0];
  audit.output = std::accumulate(dividends.values.begin(), dividends.values.end(), 0.0);
  audit.tolerance = kRounding * std::max(std::abs(audit.change()), kRounding * std::abs(audit.output));
  audit.dummies = dummy_players(dividends.values, audit.tolerance);
  audit.feasible = feasible_allocation(audit.values, dividends.values);
  return audit;
}

void print_players(const FileAudit& audit, const Players& players) {
  Lines lines = {{"player", "got", "at least", "at most", ""}};
  for (size_t p = 0; p < audit.values.size(); ++p) {
    const double got = audit.values[p], least = audit.feasible.least_of[p], most = audit.feasible.most_of[p];
    const bool dummy =
        std::find(audit.dummies.begin(), audit.dummies.end(), static_cast<int>(p)) != audit.dummies.end();
    std::string remark;
    if (got < least - audit.tolerance) remark = "too little";
    if (got > most + audit.tolerance) remark = "too much";
    if (dummy) remark += remark.empty() ? "no effect at all" : ": no effect at all";
    lines.push_back({printable(players.names[p]), fmt::format("{:+.4g}", got), fmt::format("{:+.4g}", least),
                     fmt::format("{:+.4g}", most), remark});
  }
  print_columns(lines, 2);
}

void print_file_audit(const FileAudit& audit, const FewPlayersQuestion& asked, const AuditRequest& request) {
  print_question(asked, request, audit.baseline_output, audit.change());
  const Players& players = asked.question.players;
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
               players_text(players, feasible.short_players), feasible.got, feasible.least);
  }
  if (feasible.rest_got > feasible.rest_most + audit.tolerance) {
    fmt::print("  Together, {} got {:+.4g}, where any such allocation gives them {:+.4g} or less.\n",
               players_text(players, everybody ^ feasible.short_players), feasible.rest_got, feasible.rest_most);
  }
}

Json file_audit_as_json(const FileAudit& audit, const FewPlayersQuestion& asked, const AuditRequest& request) {
  Json json = question_as_json(asked, request, audit.baseline_output, audit.change());
  json["attribution"] = request.attribution;
  json["values"] = audit.values;
  json["sum"] = audit.sum();
  json["residual"] = audit.residual();
  json["dummies"] = audit.dummies;
  json["given_to_dummies"] = audit.to_dummies();
  json["allocation_possible"] = audit.possible();
  json["distance"] = audit.feasible.distance;
  json["tolerance"] = audit.tolerance;
  json["too_little"] = {{"support", members_of(audit.feasible.short_players)},
                        {"got", audit.feasible.got},
                        {"at_least", audit.feasible.least}};
  json["at_least"] = audit.feasible.least_of;
  json["at_most"] = audit.feasible.most_of;
  json["notes"] = asked.notes;
  return json;
}

}  // namespace

void audit_file(const AuditRequest& request) {
  FewPlayersQuestion asked = ask_few_players(request);
  std::vector<double> values = read_attribution(request.attribution, asked.question);
  print_notes(asked.notes, request.general.quiet);
  const FileAudit audit = audit_values(std::move(values), asked, request);
  if (request.general.json) print_json(file_audit_as_json(audit, asked, request));
  else print_file_audit(audit, asked, request);
}

}  // namespace ascribe::core
