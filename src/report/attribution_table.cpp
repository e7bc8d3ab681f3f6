#include "report/attribution_table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/finite.h"
#include "base/table.h"
#include "draw/beeswarm.h"

namespace ascribe::core {

namespace {

using study::ExplainResult;
using study::MethodAnswer;
using study::RowQuestion;

constexpr int64_t kMostColumns = 2048;
constexpr size_t kMostLines = 20;  // of a summary

bool same_players(const ExplainResult& result) {
  return std::all_of(result.rows.begin(), result.rows.end(), [&](const RowQuestion& row) {
    return row.players.names == result.rows[0].players.names && row.players.owner == result.rows[0].players.owner;
  });
}

std::string cell_of(double value) { return csv_if_finite(value, fmt::format("{:.9g}", value)); }

// The number that a player is, if it is one.
std::vector<std::optional<double>> numbers_of_players(const RowQuestion& row) {
  std::vector<std::optional<double>> numbers(row.players.names.size());
  std::vector<int> elements(numbers.size(), 0);
  for (size_t i = 0; i < row.players.owner.size(); ++i) {
    const int32_t owner = row.players.owner[i];
    if (owner < 0) continue;
    const auto player = static_cast<size_t>(owner);
    numbers[player] = ++elements[player] == 1 ? std::optional(row.x().at(static_cast<int64_t>(i))) : std::nullopt;
  }
  return numbers;
}

// From 0 for the lowest of them to 1 for the highest.
void shade(std::vector<SwarmDot>& dots) {
  double low = INFINITY, high = -INFINITY;
  for (const SwarmDot& dot : dots) {
    if (dot.shade) low = std::min(low, *dot.shade), high = std::max(high, *dot.shade);
  }
  for (SwarmDot& dot : dots) {
    if (dot.shade) dot.shade = high > low ? (*dot.shade - low) / (high - low) : 0.5;
  }
}

}  // namespace

std::string why_no_attribution_table(const ExplainResult& result) {
  if (!same_players(result)) return "the rows do not have the same players";
  const int64_t players = result.rows[0].players.count();
  if (players <= kMostColumns) return "";
  return fmt::format("{} players would be as many columns; expected at most {}", players, kMostColumns);
}

std::string attribution_table(const ExplainResult& result) {
  if (!why_no_attribution_table(result).empty()) return "";
  Table table{{"row", "source", "method", "target", "label", "output", "baseline_output", "sum"}};
  for (const std::string& name : result.rows[0].players.names) table.head.push_back(name);
  for (size_t row = 0; row < result.rows.size(); ++row) {
    const RowQuestion& question = result.rows[row];
    for (const MethodAnswer& method : result.methods) {
      const Attribution& a = method.attributions[row];
      std::vector<std::string>& line = table.rows.emplace_back();
      line = {fmt::format("{}", row),
              question.source,
              method.name(),
              fmt::format("{}", question.target),
              question.label,
              cell_of(a.output),
              cell_of(a.baseline_output),
              cell_of(a.sum())};
      for (const double value : a.values) line.push_back(cell_of(value));
    }
  }
  return table.csv();
}

std::string attribution_summary_svg(const ExplainResult& result, size_t method) {
  if (result.rows.size() < 2 || !same_players(result)) return "";
  const MethodAnswer& answer = result.methods[method];
  const std::vector<std::string>& names = result.rows[0].players.names;
  std::vector<double> means(names.size(), 0.0);
  for (const Attribution& a : answer.attributions) {
    for (size_t p = 0; p < means.size(); ++p) {
      means[p] += std::abs(a.values[p]) / static_cast<double>(answer.attributions.size());
    }
  }
  std::vector<std::vector<std::optional<double>>> numbers;
  for (const RowQuestion& row : result.rows) numbers.push_back(numbers_of_players(row));
  std::vector<SwarmLine> lines;
  bool shaded = false;
  for (const size_t p : study::strongest(means, kMostLines)) {
    SwarmLine& line = lines.emplace_back(SwarmLine{names[p], means[p], {}});
    for (size_t row = 0; row < result.rows.size(); ++row) {
      line.dots.push_back({answer.attributions[row].values[p], numbers[row][p]});
      shaded |= numbers[row][p].has_value();
    }
    shade(line.dots);
  }
  const std::string model = std::filesystem::path(result.model).filename().string();
  std::string text = fmt::format("{}; {} rows", answer.chosen.method.title, result.rows.size());
  if (names.size() > kMostLines) text += fmt::format("; the {} strongest of {} players", kMostLines, names.size());
  return beeswarm_svg(lines, fmt::format("{}: {} explained over rows", model, result.rows[0].output), text,
                      shaded ? "the player's own number, from its lowest to its highest" : "");
}

}  // namespace ascribe::core
