#include "game/effect_summary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>

namespace ascribe::core {

namespace {

// The `most` of largest magnitude; of equal ones those that come first.
class Strongest {
 public:
  explicit Strongest(int64_t most) : most_(static_cast<size_t>(most)) {}

  void offer(double value, int64_t index) {
    const Entry entry{std::abs(value), -index};
    if (queue_.size() == most_ && (most_ == 0 || entry <= queue_.top())) return;
    queue_.push(entry);
    if (queue_.size() > most_) queue_.pop();
  }
  std::vector<int64_t> indices() {
    std::vector<int64_t> result;
    for (; !queue_.empty(); queue_.pop()) result.push_back(-queue_.top().second);
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  using Entry = std::pair<double, int64_t>;
  size_t most_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

Effect effect_at(const Dividends& dividends, int64_t set) {
  Effect effect;
  for (auto rest = static_cast<uint64_t>(set); rest != 0; rest &= rest - 1) {
    effect.support.push_back(std::countr_zero(rest));
  }
  effect.value = dividends.values[static_cast<size_t>(set)];
  return effect;
}

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

// `each(f)` calls f(number, order, first player, value) for all effects; `effect(number)` is one in full.
template <class Each, class Get>
void fill(EffectSummary& summary, const SummaryOptions& options, Each&& each, Get&& effect) {
  summary.independent.assign(static_cast<size_t>(summary.players), 0.0);
  Strongest all(options.strongest), pairs(options.pairs), triples(options.triples);
  each([&](int64_t number, size_t order, int first, double value) {
    if (order == 0) return;
    OrderSummary& share = order_at(summary, order, options.epsilon);
    const bool beyond = std::abs(value) > share.rounding;
    ++share.count;
    share.sum += value;
    share.absolute += std::abs(value);
    share.beyond_rounding += beyond ? 1 : 0;
    ++summary.count;
    if (order == 1) summary.independent[static_cast<size_t>(first)] += value;
    all.offer(value, number);
    if (order == 2 && beyond) pairs.offer(value, number);
    if (order == 3 && beyond) triples.offer(value, number);
  });
  for (const int64_t i : all.indices()) summary.strongest.push_back(effect(i));
  for (const int64_t i : pairs.indices()) summary.pairs.push_back(effect(i));
  for (const int64_t i : triples.indices()) summary.triples.push_back(effect(i));
}

}  // namespace

EffectSummary summarize(const Dividends& dividends, const SummaryOptions& options) {
  EffectSummary summary;
  summary.players = summary.order = dividends.players;
  summary.evaluations = dividends.evaluations;
  summary.baseline_output = dividends.values[0];
  summary.remainder = dividends.residual;
  double sum = 0;
  for (const double value : dividends.values) sum += value;
  summary.output = sum + dividends.residual;
  fill(
      summary, options,
      [&](auto&& f) {
        for (size_t set = 1; set < dividends.values.size(); ++set) {
          f(static_cast<int64_t>(set), static_cast<size_t>(std::popcount(set)), std::countr_zero(set),
            dividends.values[set]);
        }
      },
      [&](int64_t set) { return effect_at(dividends, set); });
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
  fill(
      summary, options,
      [&](auto&& f) {
        for (size_t i = 0; i < effects.effects.size(); ++i) {
          const Effect& effect = effects.effects[i];
          f(static_cast<int64_t>(i), effect.support.size(), effect.support.empty() ? 0 : effect.support[0],
            effect.value);
        }
      },
      [&](int64_t i) { return effects.effects[static_cast<size_t>(i)]; });
  return summary;
}

}  // namespace ascribe::core
