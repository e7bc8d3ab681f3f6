#include "cli/decompose/print.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "cli/terminal.h"
#include "report/effect_pictures.h"

namespace ascribe::core::cli {

namespace {

using study::DecomposeResult;

constexpr int64_t kShownEffects = 20;

std::string number(double value) { return fmt::format("{:.6g}", value); }
std::string signed_number(double value) { return fmt::format("{:+.6g}", value); }

void print_effects(const std::vector<Effect>& effects, int64_t count, const Players& players, double change,
                   std::string_view heading) {
  fmt::print("\n");
  Lines lines = {{std::string(heading), "value", "share"}};
  for (const Effect& effect : effects) {
    lines.push_back(
        {printable(names_of(effect, players)), signed_number(effect.value), change_share(effect.value, change)});
  }
  print_columns(lines, 2);
  if (const int64_t rest = count - std::ssize(effects); rest > 0) {
    fmt::print("  and {} smaller\n", with_thousands(rest));
  }
}

void print_estimate(const DecomposeResult& result, int64_t most) {
  const std::vector<Effect>& effects = result.estimate->effects.effects;
  std::vector<size_t> ranking(effects.size());
  std::iota(ranking.begin(), ranking.end(), 0);
  std::stable_sort(ranking.begin(), ranking.end(),
                   [&](size_t a, size_t b) { return std::abs(effects[a].value) > std::abs(effects[b].value); });
  fmt::print("\n  {}: {}\n  {}\n\n", result.index->title, result.index->formula, result.index->source);
  const std::vector<double> intervals = result.estimate_intervals();
  Lines lines = {{result.index->name, "value", "+- (95 %)", "share"}};
  const size_t shown = std::min(ranking.size(), static_cast<size_t>(most));
  for (size_t i = 0; i < shown; ++i) {
    const Effect& effect = effects[ranking[i]];
    lines.push_back({printable(names_of(effect, result.question.players)), signed_number(effect.value),
                     fmt::format("{:.2g}", intervals[ranking[i]]),
                     change_share(effect.value, result.summary.change())});
  }
  print_columns(lines, 2);
  if (ranking.size() > shown)
    fmt::print("  and {} smaller\n", with_thousands(std::ssize(ranking) - std::ssize(lines) + 1));
}

// How the Taylor terms of a set add up to its J(S), degree by degree.
void print_supports(const DecomposeResult& result, int64_t most) {
  Lines lines = {{"set"}};
  for (int k = 1; k <= result.taylor->effects.order; ++k) lines[0].push_back(fmt::format("to degree {}", k));
  lines[0].push_back("J(S)");
  for (const SupportSum& sum : ranked_support_sums(result)) {
    if (std::ssize(lines) > most) break;
    std::vector<std::string> line = {printable(names_of({sum.support, {}, 0}, result.question.players))};
    for (size_t k = 1; k < sum.by_order.size(); ++k) line.push_back(signed_number(sum.by_order[k]));
    const auto dividend = result.dividend(sum.support);
    line.push_back(dividend ? signed_number(*dividend) : "");
    lines.push_back(line);
  }
  print_columns(lines, 2);
}

// What may be made of the terms.
std::string series_sentences(const TaylorEffects& taylor) {
  if (taylor.piecewise_linear) {
    return "  The network is piecewise linear where the baseline lies: all terms beyond degree 1 vanish, and the\n"
           "  interactions come from its kinks, which no Taylor series sees. J(S) is the thing to read.\n";
  }
  const std::string radius = fmt::format("its radius is about {:.2g} times the distance of the input", taylor.radius);
  switch (taylor.series) {
    case Series::converges:
      return std::isinf(taylor.radius) ? "  The series ends, or converges at any distance: the sums meet J(S).\n"
                                       : fmt::format("  The series converges: {}.\n", radius);
    case Series::diverges:
      return fmt::format(
          "  The series diverges: {}.\n"
          "  Every term is right, but their sums mean nothing. J(S) is the thing to read.\n",
          radius);
    case Series::kinked:
      return "  Between the baseline and masked inputs lie kinks of the network, which no Taylor series sees: the "
             "terms\n"
             "  need not add up to J(S). J(S) is the thing to read.\n";
    case Series::undecided:
      return fmt::format(
          "  It is not decided whether the series converges: {}.\n"
          "  Compare the sums with J(S) before you rely on them.\n",
          radius);
  }
  return "";
}

void print_taylor(const DecomposeResult& result, int64_t most) {
  const TaylorEffects& taylor = *result.taylor;
  fmt::print("\n  Taylor effects at the baseline to degree {}, added up by set\n", taylor.effects.order);
  fmt::print("{}", series_sentences(taylor));
  fmt::print("\n");
  print_supports(result, most);
  fmt::print("\n");
  Lines lines = {{"degree", "sum of its terms", "share", "error at most"}};
  for (const Conditioning& order : taylor.conditioning) {
    lines.push_back({fmt::format("{}", order.order), signed_number(order.sum),
                     change_share(order.sum, taylor.effects.change()), fmt::format("{:.1e}", order.error_bound)});
  }
  print_columns(lines, 2);
  fmt::print("  remainder {}: change - sum of all terms\n", signed_number(taylor.effects.remainder));
}

}  // namespace

std::string change_share(double value, double change) {
  if (change == 0) return "";
  const double percent = 100 * value / change;
  if (!std::isfinite(percent)) return "";
  // A change that is next to nothing beside its parts is no measure of them.
  return std::abs(percent) < 1e6 ? fmt::format("{:.1f}%", percent) : fmt::format("{:.0e}%", percent);
}

void print_orders(const EffectSummary& summary) {
  fmt::print("\n");
  Lines lines = {{"players in the set", "effects", "sum", "share", "sum of magnitudes", "beyond rounding"}};
  for (const OrderSummary& order : summary.orders) {
    lines.push_back({fmt::format("{}", order.order), with_thousands(order.count), signed_number(order.sum),
                     change_share(order.sum, summary.change()), number(order.absolute),
                     with_thousands(order.beyond_rounding)});
  }
  print_columns(lines, 2);
}

void print_decomposition(const DecomposeResult& result, int64_t top) {
  const EffectSummary& summary = result.summary;
  const double change = summary.change();
  fmt::print("{}\n", printable(result.question.title(std::filesystem::path(result.model).filename().string())));
  Lines lines;
  lines.push_back({"players", fmt::format("{} ({})", result.question.players.count(),
                                          printable(result.question.players.description))});
  lines.push_back({"baseline b", printable(result.question.baselines_text())});
  lines.push_back({"f(x)", number(summary.output)});
  lines.push_back({"f(b)", number(summary.baseline_output)});
  lines.push_back({"change", signed_number(change)});
  if (result.sparse) {
    const SparseEstimate& estimate = result.sparse->estimate;
    lines.push_back({"estimated", fmt::format("{} effects, by {}; {}", with_thousands(summary.count),
                                              estimate.estimator, to_string(estimate.stop))});
    lines.push_back({"held out", study::held_out_text(estimate.held_out)});
    lines.push_back(
        {"not found", fmt::format("{}{} = change - sum of the effects", signed_number(summary.remainder),
                                  change == 0 ? "" : fmt::format(" ({})", change_share(summary.remainder, change)))});
    if (result.sparse->verified.looked_up > 0 || !result.sparse->verified.beside.empty()) {
      lines.push_back({"looked up", study::looked_up_text(result.sparse->verified)});
    }
    if (!result.sparse->candidates.empty()) {
      lines.push_back({"candidates", fmt::format("pairs by {}, {} passes", result.sparse->candidates,
                                                 with_thousands(result.sparse->passes))});
    }
    if (result.sparse->never_meet > 0) {
      lines.push_back({"never meet", fmt::format("{} pairs, by their receptive fields: their effects are 0",
                                                 with_thousands(result.sparse->never_meet))});
    }
  } else if (result.estimate) {
    lines.push_back(
        {"not shared", fmt::format("{} = change - sum of the values below", signed_number(summary.remainder))});
  } else if (result.truncated && !result.every_order && summary.order < summary.players) {
    const std::string part =
        change == 0 ? "" : fmt::format(" ({} of the change)", change_share(summary.remainder, change));
    lines.push_back(
        {"left out", fmt::format("{}{}: all effects of more than {}", signed_number(summary.remainder), part,
                                 summary.order == 1 ? "one player" : fmt::format("{} players", summary.order))});
  } else {
    lines.push_back({"residual", fmt::format("{:.2g} = change - sum of all effects", summary.remainder)});
  }
  const std::string each =
      result.question.baseline_count() == 1 ? "" : fmt::format(" of {} rows each", result.question.baseline_count());
  if (result.of_trees) lines.push_back({"work", fmt::format("the leaves of all trees, in {:.2f} s", result.seconds)});
  else
    lines.push_back({"work", fmt::format("{} evaluations{} in {:.2f} s", with_thousands(summary.evaluations), each,
                                         result.seconds)});
  print_columns(lines, 2);
  const int64_t most = top > 0 ? top : kShownEffects;
  if (result.sparse) {
    print_sparse(result, most);
    if (result.and_or_estimate) print_estimated_and_or(result, most);
    return;
  }
  if (result.estimate) {
    print_estimate(result, most);
    return;
  }
  if (result.index_values) {
    fmt::print("\n  {}: {}\n  {}\n", result.index->title, result.index->formula, result.index->source);
    const std::vector<Effect> largest = study::sorted_by_magnitude(result.index_values->effects, most);
    print_effects(largest, std::ssize(result.index_values->effects), result.question.players, change,
                  result.index->name);
  } else {
    const auto shown = std::min(most, std::ssize(summary.strongest));
    print_effects({summary.strongest.begin(), summary.strongest.begin() + shown}, summary.count,
                  result.question.players, change, "effect");
  }
  print_orders(summary);
  if (result.taylor) print_taylor(result, most);
  if (result.and_or) print_and_or(result, most);
  if (result.and_or_estimate) print_estimated_and_or(result, most);
}

}  // namespace ascribe::core::cli
