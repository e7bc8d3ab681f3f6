#include "cli/explain/print.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/terminal.h"
#include "cli/terminal_map.h"
#include "study/few_players.h"
#include "study/joint_inputs.h"
#include "study/pixels.h"

namespace ascribe::core::cli {

namespace {

using study::ExplainResult;
using study::MethodAnswer;
using study::RowQuestion;

std::string signed_number(double value) { return fmt::format("{:+.5g}", value); }

std::string accuracy(const Attribution& a) {
  if (!a.standard_errors.empty()) {
    const std::vector<double> widths = a.intervals();
    return fmt::format("+- {:.2g} (95 %)", *std::max_element(widths.begin(), widths.end()));
  }
  return a.exact ? "exact" : "approximate";
}

std::string strongest_text(const Attribution& a, const Players& players, int64_t most) {
  std::string text;
  for (const size_t p : study::strongest(a.values, static_cast<size_t>(most))) {
    text += fmt::format("{}{} {:+.3g}", text.empty() ? "" : ", ", printable(players.names[p]), a.values[p]);
  }
  return text;
}

// For people without a browser: the maps on the terminal itself, if it has colours.
void print_maps(const ExplainResult& result, size_t row) {
  const RowQuestion& question = result.rows[row];
  const int64_t columns = colored_columns();
  if (columns == 0) return;
  const auto print = [&](const Players& players, const auto& attribution) {
    std::vector<TerminalMap> maps;
    for (const MethodAnswer& method : result.methods) {
      maps.push_back({method.name(), study::pixel_values(method.chosen.method, attribution(method), players)});
    }
    fmt::print("\n");
    for (const std::string& line : terminal_maps(maps, players.image->height, players.image->width, columns - 2)) {
      fmt::print("  {}\n", line);
    }
  };
  bool any = question.players.image.has_value();
  if (any) print(question.players, [&](const MethodAnswer& method) { return method.attributions[row]; });
  for (const study::RowPart& part : question.parts) {
    const Players players = study::players_of(question, part);
    if (!players.image || players.image->height < 1) continue;
    any = true;
    fmt::print("\n  {}", printable(part.name));
    print(players, [&](const MethodAnswer& method) { return study::attribution_of(method.attributions[row], part); });
  }
  if (!any) return;
  fmt::print("\n  {} raises the output, {} lowers it; each map has a scale of its own.\n", red("red"), blue("blue"));
}

void print_allocations(const ExplainResult& result, size_t row, int64_t top) {
  const Players& players = result.rows[row].players;
  Lines lines = {{"method", "player", "received", "of the effect", "of"}};
  for (const MethodAnswer& method : result.methods) {
    const SetAllocation& allocation = method.allocations[row];
    for (const study::EffectShare& share : study::largest_shares(allocation, static_cast<size_t>(top))) {
      lines.push_back({method.name(), printable(players.names[static_cast<size_t>(share.player)]),
                       fmt::format("{:+.4g}", share.amount),
                       share.set == 0 ? "-" : fmt::format("{:+.4g}", allocation.effects[share.set]),
                       share.set == 0 ? "f(b), all masked" : printable(study::players_text(players, share.set))});
    }
  }
  fmt::print("\n  The largest shares of effects; all of them are in --json and in the arrays of --out\n\n");
  print_columns(lines, 2);
}

void print_row(const ExplainResult& result, size_t row, int64_t top) {
  const RowQuestion& question = result.rows[row];
  const study::RowValues& values = result.values[row];
  fmt::print("{}\n", printable(question.title(std::filesystem::path(result.model).filename().string())));
  fmt::print("  f(x) {:.6g}, f(b) {:.6g}, change {}; {} players ({}), baseline b {}\n\n", values.output,
             values.baseline_output, signed_number(values.change()), question.players.count(),
             printable(question.players.description), printable(question.baselines_text()));
  Lines lines = {{"method", "sum", "explains", "residual", "accuracy", "evaluations", "seconds", "strongest"}};
  for (const MethodAnswer& method : result.methods) {
    const Attribution& a = method.attributions[row];
    lines.push_back(
        {method.name(), signed_number(a.sum()), method.shares() ? signed_number(method.explained(row)) : "-",
         method.shares() ? fmt::format("{:+.2g}", a.residual) : "-", accuracy(a), with_thousands(a.evaluations),
         fmt::format("{:.3f}", method.seconds / static_cast<double>(result.rows.size())),
         strongest_text(a, question.players, top)});
  }
  print_columns(lines, 2);
  if (!result.methods[0].allocations.empty()) print_allocations(result, row, top);
  print_maps(result, row);
}

}  // namespace

void print_explanation(const ExplainResult& result, int64_t top) {
  for (size_t row = 0; row < result.rows.size(); ++row) {
    if (row > 0) fmt::print("\n");
    print_row(result, row, top);
  }
}

}  // namespace ascribe::core::cli
