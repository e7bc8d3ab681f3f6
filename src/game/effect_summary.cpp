#include "game/effect_summary.h"

#include <algorithm>
#include <cmath>

#include "game/effect_stream.h"
#include "game/strongest.h"

namespace ascribe::core {

namespace {

double scale_of(const EffectSummary& summary) {
  return std::max(std::abs(summary.output), std::abs(summary.baseline_output));
}

OrderSummary& order_at(EffectSummary& summary, size_t order, double epsilon) {
  while (summary.orders.size() < order) {
    OrderSummary fresh;
    fresh.order = static_cast<int>(summary.orders.size()) + 1;
    fresh.rounding = 4 * epsilon * scale_of(summary) * std::exp2(0.5 * fresh.order);
    summary.orders.push_back(fresh);
  }
  return summary.orders[order - 1];
}

void fill(EffectSummary& summary, const SummaryOptions& options, const std::vector<Effect>& effects) {
  summary.independent.assign(static_cast<size_t>(summary.players), 0.0);
  Strongest all(options.strongest), pairs(options.pairs), triples(options.triples);
  for (int64_t number = 0; number < std::ssize(effects); ++number) {
    const auto& [support, degree, value] = effects[static_cast<size_t>(number)];
    const size_t order = support.size();
    if (order == 0) continue;
    OrderSummary& share = order_at(summary, order, options.epsilon);
    const bool beyond = std::abs(value) > share.rounding;
    ++share.count;
    share.sum += value;
    share.absolute += std::abs(value);
    share.beyond_rounding += beyond ? 1 : 0;
    ++summary.count;
    if (order == 1) summary.independent[static_cast<size_t>(support[0])] += value;
    all.offer(value, number);
    if (order == 2 && beyond) pairs.offer(value, number);
    if (order == 3 && beyond) triples.offer(value, number);
  }
  const auto list = [&](const Strongest& strongest) {
    std::vector<Effect> found;
    for (const auto& entry : strongest.sorted()) found.push_back(effects[static_cast<size_t>(entry.index)]);
    return found;
  };
  summary.strongest = list(all);
  summary.pairs = list(pairs);
  summary.triples = list(triples);
}

}  // namespace

EffectSummary summarize(const Dividends& dividends, const SummaryOptions& options) {
  const double output = total_of_dividends(dividends.values) + dividends.residual;
  EffectStream stream(dividends.players, output, dividends.values[0], options);
  stream.add(0, dividends.values);
  EffectSummary summary = stream.summary();
  summary.evaluations = dividends.evaluations;
  summary.remainder = dividends.residual;
  return summary;
}

EffectSummary summarize(const Effects& effects, const SummaryOptions& options) {
  EffectSummary summary;
  summary.players = effects.players;
  summary.order = effects.order;
  summary.evaluations = effects.evaluations;
  summary.output = effects.output;
  summary.baseline_output = effects.baseline_output;
  summary.remainder = effects.remainder;
  fill(summary, options, effects.effects);
  return summary;
}

}  // namespace ascribe::core
