// Estimated effects in words.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/ranges.h>

#include "cli/decompose/print.h"
#include "cli/terminal.h"
#include "methods/spread.h"
#include "report/effect_pictures.h"

namespace ascribe::core::cli {

namespace {

std::string effect_number(double value) { return fmt::format("{:+.6g}", value); }
std::string interval_text(double width) { return std::isfinite(width) ? fmt::format("{:.2g}", width) : "unknown"; }
std::string effect_share(double value, double change) {
  return change == 0 ? "" : fmt::format("{:.1f}%", 100 * value / change);
}

std::vector<size_t> by_strength(const std::vector<Effect>& effects) {
  std::vector<size_t> ranking(effects.size());
  std::iota(ranking.begin(), ranking.end(), 0);
  std::stable_sort(ranking.begin(), ranking.end(),
                   [&](size_t a, size_t b) { return std::abs(effects[a].value) > std::abs(effects[b].value); });
  return ranking;
}

void print_smaller(size_t all, size_t shown) {
  if (all > shown) fmt::print("  and {} smaller\n", with_thousands(static_cast<int64_t>(all - shown)));
}

void print_derived_index(const study::DecomposeResult& result, const SparseIndex& derived, int64_t most) {
  const std::vector<double> widths = half_widths(derived.standard_errors, result.sparse->estimate.degrees_of_freedom);
  std::map<std::vector<int>, size_t> direct;
  std::vector<double> direct_widths;
  if (result.direct) {
    direct_widths = result.direct->intervals();
    for (size_t i = 0; i < direct_widths.size(); ++i) direct[result.direct->effects.effects[i].support] = i;
  }
  fmt::print("\n  {}, from the estimated effects: {}\n  {}\n\n", derived.index->title, derived.index->formula,
             derived.index->source);
  Lines lines = {{derived.index->name, "value", "+- (drawing)", "share"}};
  if (result.direct) lines[0].insert(lines[0].end(), {"direct", "+- (95 %)"});
  const std::vector<Effect>& effects = derived.effects.effects;
  const std::vector<size_t> ranking = by_strength(effects);
  const size_t shown = std::min(ranking.size(), static_cast<size_t>(most));
  for (size_t r = 0; r < shown; ++r) {
    const size_t i = ranking[r];
    std::vector<std::string> line = {printable(names_of(effects[i], result.question.players)),
                                     effect_number(effects[i].value), interval_text(widths[i]),
                                     effect_share(effects[i].value, result.summary.change())};
    if (const auto found = direct.find(effects[i].support); found != direct.end()) {
      line.push_back(effect_number(result.direct->effects.effects[found->second].value));
      line.push_back(interval_text(direct_widths[found->second]));
    }
    lines.push_back(std::move(line));
  }
  print_columns(lines, 2);
  print_smaller(ranking.size(), shown);
  if (result.direct) {
    fmt::print("  direct: by an estimator of its own, {} evaluations; {} of {} values agree within both 95 % errors\n",
               with_thousands(result.direct->evaluations), with_thousands(result.direct->agree),
               with_thousands(result.direct->compared));
  }
}

std::string kind_text(const AndOrEffect& effect, const Players& players) {
  std::vector<std::string> names;
  for (const int player : effect.support) names.push_back(players.names[static_cast<size_t>(player)]);
  return printable(fmt::format("{}", fmt::join(names, effect.disjunction ? " or " : " and ")));
}

}  // namespace

void print_sparse(const study::DecomposeResult& result, int64_t most) {
  const study::EstimatedEffects& found = *result.sparse;
  const std::vector<Effect>& effects = found.estimate.effects.effects;
  const std::vector<double> widths = found.intervals();
  const std::vector<size_t> ranking = found.by_magnitude();
  fmt::print("\n");
  bool doubts = false;
  Lines lines = {{"estimated effect", "value", "+- (95 %)", "share", "exact J(S)"}};
  const size_t shown = std::min(ranking.size(), static_cast<size_t>(most));
  for (size_t r = 0; r < shown; ++r) {
    const size_t i = ranking[r];
    const bool doubted = i < found.estimate.doubted.size() && found.estimate.doubted[i] != 0;
    doubts = doubts || doubted;
    lines.push_back({printable(names_of(effects[i], result.question.players)) + (doubted ? " (?)" : ""),
                     effect_number(effects[i].value), interval_text(widths[i]),
                     effect_share(effects[i].value, result.summary.change()),
                     found.exact[i] ? effect_number(*found.exact[i]) : ""});
  }
  print_columns(lines, 2);
  print_smaller(ranking.size(), shown);
  if (doubts) fmt::print("  (?) the coalitions that were drawn do not tell this set from another one\n");
  if (result.index != nullptr) print_derived_index(result, *found.index(result.index->name), most);
  fmt::print("\n");
  Lines orders = {{"players in the set", "effects found", "sum", "share", "sum of magnitudes"}};
  for (const OrderSummary& order : result.summary.orders) {
    if (order.count == 0) continue;
    orders.push_back({fmt::format("{}", order.order), with_thousands(order.count), effect_number(order.sum),
                      effect_share(order.sum, result.summary.change()), fmt::format("{:.6g}", order.absolute)});
  }
  print_columns(orders, 2);
}

void print_estimated_and_or(const study::DecomposeResult& result, int64_t most) {
  const AndOrEstimate& estimate = *result.and_or_estimate;
  const std::vector<double> widths = half_widths(estimate.standard_errors, estimate.degrees_of_freedom);
  const std::vector<Effect> effects(estimate.effects.begin(), estimate.effects.end());
  const std::vector<size_t> ranking = by_strength(effects);
  fmt::print(
      "\n  The same with AND effects, which appear when all of their players are there, and OR effects, which appear "
      "when at least one is; estimated from {} evaluations of its own\n\n",
      with_thousands(estimate.evaluations));
  Lines lines = {{"AND or OR effect", "value", "+- (drawing)", "share"}};
  const size_t shown = std::min(ranking.size(), static_cast<size_t>(most));
  for (const size_t i : std::span(ranking).first(shown)) {
    lines.push_back({kind_text(estimate.effects[i], result.question.players), effect_number(effects[i].value),
                     interval_text(widths[i]), effect_share(effects[i].value, result.summary.change())});
  }
  print_columns(lines, 2);
  print_smaller(ranking.size(), shown);
  fmt::print(
      "  +- (drawing): as other coalitions might have it, if these sets are the right ones. What sets that were not "
      "found\n  add is not in it; of networks that is often more. None of these effects was looked up.\n\n");
  Lines held = {{"", "AND and OR", "AND alone"}};
  held.push_back({"effects", with_thousands(std::ssize(effects)), with_thousands(estimate.and_alone_terms)});
  held.push_back({"R2 where not fitted", fmt::format("{:.4f}", estimate.held_out.r2),
                  fmt::format("{:.4f}", estimate.and_alone.r2)});
  print_columns(held, 2);
}

}  // namespace ascribe::core::cli
