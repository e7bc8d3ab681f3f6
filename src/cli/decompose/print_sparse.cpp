// Estimated effects in words.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cli/decompose/print.h"
#include "cli/terminal.h"
#include "methods/spread.h"
#include "report/and_or_pictures.h"
#include "report/effect_pictures.h"

namespace ascribe::core::cli {

namespace {

std::string effect_number(double value) { return fmt::format("{:+.6g}", value); }
std::string interval_text(double width) { return std::isfinite(width) ? fmt::format("{:.2g}", width) : "unknown"; }

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
                                     change_share(effects[i].value, result.summary.change())};
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

// J(S): exactly where it was looked up, by the fit elsewhere.
void print_alone(const study::DecomposeResult& result, const study::EstimatedEffects& found, int64_t most) {
  const std::vector<Effect>& effects = found.estimate.effects.effects;
  std::vector<study::AloneEffect> ranking = found.by_verified();
  const bool known = !ranking.empty();
  for (const size_t i : known ? std::vector<size_t>{} : found.by_magnitude()) {
    ranking.push_back({effects[i].support, found.alone(i), found.alone_interval(i), i});
  }
  bool doubts = false;
  Lines lines = {{"estimated effect", "J(S)", "+- (95 %)", "share", "in the fit"}};
  const size_t shown = std::min(ranking.size(), static_cast<size_t>(most));
  for (const study::AloneEffect& one : std::span(ranking).first(shown)) {
    const bool exact = !one.in_fit || found.verified.alone[*one.in_fit];
    const bool doubted =
        !exact && *one.in_fit < found.estimate.doubted.size() && found.estimate.doubted[*one.in_fit] != 0;
    doubts = doubts || doubted;
    // A value in the fit is not called J(S) if nothing tells how far it is from it.
    const bool told = std::isfinite(one.interval);
    lines.push_back({printable(names_of({one.players, {}, 0}, result.question.players)) + (doubted ? " (?)" : ""),
                     told ? effect_number(one.value) : "unknown", exact ? "exact" : interval_text(one.interval),
                     told ? change_share(one.value, result.summary.change()) : "",
                     one.in_fit ? effect_number(effects[*one.in_fit].value) : "not in it"});
  }
  print_columns(lines, 2);
  print_smaller(ranking.size(), shown);
  const size_t unknown = known ? effects.size() + found.verified.beside.size() - ranking.size() : 0;
  if (unknown > 0) {
    fmt::print("  and {} in the fit that were not looked up and may be nothing alone\n",
               with_thousands(static_cast<int64_t>(unknown)));
  }
  if (doubts) fmt::print("  (?) the coalitions that were drawn do not tell this set from another one\n");
}

// What sets do beside others.
void print_company(const study::DecomposeResult& result, const study::EstimatedEffects& found, int64_t most) {
  std::vector<size_t> ranking = found.by_company();
  if (ranking.empty()) return;
  fmt::print(
      "\n  In company: the mean of what a set does beside others, as many as you like (Shapley value, Shapley "
      "interaction\n  index), from draws of its own\n\n");
  Lines lines = {{"in company", "mean", "+- (95 %)", "share", "alone, J(S)"}};
  const size_t shown = std::min(ranking.size(), static_cast<size_t>(most));
  for (const size_t i : std::span(ranking).first(shown)) {
    const double mean = found.verified.in_company[i]->value;
    lines.push_back({printable(names_of(found.estimate.effects.effects[i], result.question.players)),
                     effect_number(mean), interval_text(found.company_interval(i)),
                     change_share(mean, result.summary.change()),
                     found.verified.alone[i] ? effect_number(*found.verified.alone[i]) : ""});
  }
  print_columns(lines, 2);
  print_smaller(ranking.size(), shown);
}

}  // namespace

void print_sparse(const study::DecomposeResult& result, int64_t most) {
  const study::EstimatedEffects& found = *result.sparse;
  fmt::print("\n");
  if (found.estimate.effects.effects.empty() && found.verified.beside.empty()) {
    fmt::print("  no effect was found\n");
    return;
  }
  print_alone(result, found, most);
  print_company(result, found, most);
  if (result.index != nullptr) print_derived_index(result, *found.index(result.index->name), most);
  fmt::print("\n");
  Lines orders = {{"players in the set", "effects found", "sum", "share", "sum of magnitudes"}};
  for (const OrderSummary& order : result.summary.orders) {
    if (order.count == 0) continue;
    orders.push_back({fmt::format("{}", order.order), with_thousands(order.count), effect_number(order.sum),
                      change_share(order.sum, result.summary.change()), fmt::format("{:.6g}", order.absolute)});
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
  if (effects.empty()) {
    fmt::print("  no effect was found\n");
    return;
  }
  Lines lines = {{"AND or OR effect", "value", "+- (drawing)", "share"}};
  const size_t shown = std::min(ranking.size(), static_cast<size_t>(most));
  for (const size_t i : std::span(ranking).first(shown)) {
    lines.push_back({printable(words_of(estimate.effects[i], result.question.players)), effect_number(effects[i].value),
                     interval_text(widths[i]), change_share(effects[i].value, result.summary.change())});
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
