#include "cli/explain/print.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/finite.h"
#include "cli/terminal.h"
#include "cli/terminal_map.h"
#include "cli/terminal_text.h"
#include "study/few_players.h"
#include "study/joint_inputs.h"
#include "study/pixels.h"
#include "study/series.h"
#include "study/token_values.h"

namespace ascribe::core::cli {

namespace {

using study::ExplainResult;
using study::MethodAnswer;
using study::RowQuestion;

std::string signed_number(double value) { return cell_if_finite(value, fmt::format("{:+.5g}", value)); }

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

// Text in colours, once for every method.
void print_text(const ExplainResult& result, size_t row) {
  const RowQuestion& question = result.rows[row];
  const int64_t columns = colored_columns();
  if (columns == 0 || !question.tokens) return;
  for (const MethodAnswer& method : result.methods) {
    const auto tokens =
        study::colored_tokens(method.chosen.method, method.attributions[row], question.players, *question.tokens);
    fmt::print("\n  {} (largest {:.3g})\n", method.name(), largest_value(tokens));
    for (const std::string& line : terminal_text(tokens, columns - 4)) fmt::print("    {}\n", line);
  }
  fmt::print("\n  {} raises the output, {} lowers it; each text has a scale of its own.\n", red("red"), blue("blue"));
}

// One bar per step, as high as its magnitude is large; neighbouring steps share one if there is little room.
std::string bars_over_time(const std::vector<double>& values, double limit, size_t columns) {
  static constexpr std::array kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t each = (values.size() + columns - 1) / std::max<size_t>(columns, 1);
  std::string text;
  for (size_t i = 0; i < values.size(); i += each) {
    double strongest = 0;
    for (size_t k = i; k < std::min(i + each, values.size()); ++k) {
      if (std::abs(values[k]) > std::abs(strongest)) strongest = values[k];
    }
    const auto height = static_cast<size_t>(std::lround(limit > 0 ? std::abs(strongest) / limit * 8 : 0));
    const std::string bar = kBars[std::min<size_t>(height, 8)];
    text += strongest < 0 ? blue(bar) : red(bar);
  }
  return text;
}

void print_series(const ExplainResult& result, size_t row) {
  constexpr size_t kNames = 16;
  const RowQuestion& question = result.rows[row];
  const int64_t columns = colored_columns();
  if (columns == 0 || !question.players.series) return;
  const ImageShape& series = *question.players.series;
  for (const MethodAnswer& method : result.methods) {
    const Tensor& elements = method.attributions[row].elements;
    double limit = 0;
    for (int64_t i = 0; i < elements.size(); ++i) limit = std::max(limit, std::abs(elements.at(i)));
    fmt::print("\n  {}, largest {:.3g}\n", method.name(), limit);
    for (int64_t c = 0; c < series.channels; ++c) {
      const auto values = study::by_channel(series, c, [&](int64_t i) { return elements.at(i); });
      const std::string name = printable(question.players.channels[static_cast<size_t>(c)]).substr(0, kNames);
      fmt::print("  {:<{}}  {}\n", name, kNames,
                 bars_over_time(values, limit, static_cast<size_t>(std::max<int64_t>(columns - 24, 16))));
    }
  }
  fmt::print("\n  Steps from left to right; {} raises the output, {} lowers it.\n", red("red"), blue("blue"));
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

// Whether a node does nothing but hand on: it moves, scales or transforms numbers one by one.
bool hands_on(const TraceStep& step) {
  constexpr std::string_view rules[] = {"moved", "unchanged", "transpose", "bias absorbs"};
  return std::find(std::begin(rules), std::end(rules), step.node.rule) != std::end(rules);
}

// From the output to the input. What only hands on and loses nothing is left out.
void print_trace(const std::string& method, const Trace& trace) {
  constexpr double kVisible = 1e-4;  // of the start
  Lines lines = {{"node", "operation", "rule", "received", "passed on", "lost", "of start"}};
  int64_t hidden = 0;
  const double start = trace.start != 0 ? std::abs(trace.start) : 1;
  for (const TraceStep& step : trace.steps) {
    if (hands_on(step) && std::abs(step.lost()) < kVisible * start) {
      ++hidden;
      continue;
    }
    const double share = step.lost() / start;
    lines.push_back({printable(step.node.name), step.node.op, step.node.rule, signed_number(step.received),
                     signed_number(step.passed_on), std::abs(share) < kVisible ? "0" : signed_number(step.lost()),
                     std::abs(share) < kVisible ? "" : fmt::format("{:+.2f} %", 100 * share)});
  }
  fmt::print("\n  The way back of {}: {} at the output, {} at the input, {} lost\n\n", method,
             signed_number(trace.start), signed_number(trace.arrived), signed_number(trace.start - trace.arrived));
  print_columns(lines, 2);
  if (hidden > 0)
    fmt::print("\n  {} nodes that only hand on and lose nothing are not listed; --json has them\n", hidden);
}

std::string outputs_text(const study::RowValues& values) {
  if (!std::isfinite(values.change())) {
    return fmt::format("f(x) is {}, f(b) is {}: no change can be told", number_in_words(values.output),
                       number_in_words(values.baseline_output));
  }
  return fmt::format("f(x) {:.6g}, f(b) {:.6g}, change {}", values.output, values.baseline_output,
                     signed_number(values.change()));
}

void print_row(const ExplainResult& result, size_t row, int64_t top) {
  const RowQuestion& question = result.rows[row];
  const study::RowValues& values = result.values[row];
  fmt::print("{}\n", printable(question.title(std::filesystem::path(result.model).filename().string())));
  fmt::print("  {}; {} players ({}), baseline b {}\n\n", outputs_text(values), question.players.count(),
             printable(question.players.description), printable(question.baselines_text()));
  Lines lines = {{"method", "sum", "explains", "residual", "accuracy", "evaluations", "seconds", "strongest"}};
  for (const MethodAnswer& method : result.methods) {
    const Attribution& a = method.attributions[row];
    lines.push_back(
        {method.name(), signed_number(a.sum()), method.shares() ? signed_number(method.explained(row)) : "-",
         method.shares() ? cell_if_finite(a.residual, fmt::format("{:+.2g}", a.residual)) : "-", accuracy(a),
         with_thousands(a.evaluations), fmt::format("{:.3f}", method.seconds / static_cast<double>(result.rows.size())),
         strongest_text(a, question.players, top)});
  }
  print_columns(lines, 2);
  if (!result.methods[0].allocations.empty()) print_allocations(result, row, top);
  for (const MethodAnswer& method : result.methods) {
    if (!method.traces.empty()) print_trace(method.name(), method.traces[row]);
  }
  print_maps(result, row);
  print_text(result, row);
  print_series(result, row);
}

}  // namespace

void print_explanation(const ExplainResult& result, int64_t top) {
  for (size_t row = 0; row < result.rows.size(); ++row) {
    if (row > 0) fmt::print("\n");
    print_row(result, row, top);
  }
}

}  // namespace ascribe::core::cli
