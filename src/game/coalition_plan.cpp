#include "game/coalition_plan.h"

#include <array>
#include <bit>

#include "base/error.h"
#include "base/random.h"
#include "game/estimators/small_sets.h"

namespace ascribe::core {

namespace {

using Order = std::vector<int64_t>;

std::array<Order, 2> orders_of(int64_t players, uint64_t seed, int64_t pair) {
  Order order = Random(seed).permutation(static_cast<uint64_t>(pair), players);
  Order reverse(order.rbegin(), order.rend());
  return {std::move(order), std::move(reverse)};
}

}  // namespace

std::vector<double> CoalitionPlan::apply(std::span<const double> v) const {
  std::vector<double> result(static_cast<size_t>(values));
  for (const Term& term : terms)
    result[static_cast<size_t>(term.value)] += term.weight * v[static_cast<size_t>(term.set)];
  return result;
}

std::vector<double> CoalitionPlan::matrix() const {
  std::vector<double> dense(static_cast<size_t>(sets.size() * values));
  for (const Term& term : terms) dense[static_cast<size_t>(term.set * values + term.value)] += term.weight;
  return dense;
}

std::vector<uint64_t> everyone(int64_t players) {
  std::vector<uint64_t> words(static_cast<size_t>(std::max<int64_t>(1, (players + 63) / 64)));
  for (int64_t p = 0; p < players; ++p) words[static_cast<size_t>(p / 64)] |= uint64_t{1} << (p % 64);
  return words;
}

CoalitionPlan leave_one_out(int64_t players) {
  CoalitionPlan plan{Coalitions(players), players, {}};
  std::vector<uint64_t> words = everyone(players);
  plan.sets.add(std::span<const uint64_t>(words));
  for (int64_t p = 0; p < players; ++p) {
    const auto word = static_cast<size_t>(p / 64);
    words[word] ^= uint64_t{1} << (p % 64);
    plan.sets.add(std::span<const uint64_t>(words));
    words[word] ^= uint64_t{1} << (p % 64);
    plan.terms.push_back({p, 0, 1});
    plan.terms.push_back({p, p + 1, -1});
  }
  return plan;
}

std::vector<double> shapley_weights(int64_t players) {
  std::vector<double> weights;
  double weight = 1 / static_cast<double>(players);  // s! (m-s-1)! / m!
  for (int64_t s = 0; s < players; ++s) {
    weights.push_back(weight);
    if (s + 1 < players) weight *= static_cast<double>(s + 1) / static_cast<double>(players - s - 1);
  }
  return weights;
}

CoalitionPlan all_coalitions(int64_t players) {
  require(players > 0 && players < 40, "coalitions", "too many players to list every set");
  CoalitionPlan plan{Coalitions(players), players, {}};
  const std::vector<double> weights = shapley_weights(players);
  const uint64_t last = (uint64_t{1} << players) - 1;
  for (uint64_t c = 0; c <= last; ++c) {
    const uint64_t set = c == 0 ? last : c == last ? 0 : c;
    const int size = std::popcount(set);
    plan.sets.add(set);
    for (int64_t p = 0; p < players; ++p) {
      const bool member = (set >> p & 1) != 0;
      plan.terms.push_back({p, static_cast<int64_t>(c), member ? weights[size - 1] : -weights[size]});
    }
  }
  return plan;
}

void add_pair(Coalitions& sets, uint64_t seed, int64_t pair) {
  for (const Order& order : orders_of(sets.players(), seed, pair)) {
    GrowingSet before(sets.players());
    for (size_t k = 0; k + 1 < order.size(); ++k) {
      before.toggle(order[k]);
      sets.add(std::span<const uint64_t>(before.words()));
    }
  }
}

std::vector<double> read_pair(int64_t players, uint64_t seed, int64_t pair, const double* values, double empty,
                              double full) {
  std::vector<double> sample(static_cast<size_t>(players));
  for (const Order& order : orders_of(players, seed, pair)) {
    double before = empty;
    for (int64_t k = 0; k < players; ++k) {
      const double after = k + 1 < players ? values[k] : full;
      sample[static_cast<size_t>(order[static_cast<size_t>(k)])] += (after - before) / 2;
      before = after;
    }
    values += players - 1;
  }
  return sample;
}

CoalitionPlan paired_orders(int64_t players, int64_t pairs, uint64_t seed) {
  CoalitionPlan plan{Coalitions(players), players, {}};
  const std::vector<uint64_t> all = everyone(players);
  plan.sets.add(std::span<const uint64_t>(all));
  plan.sets.add(std::span<const int64_t>());
  const double weight = 0.5 / static_cast<double>(pairs);
  for (int64_t pair = 0; pair < pairs; ++pair) {
    int64_t next = plan.sets.size();
    add_pair(plan.sets, seed, pair);
    for (const Order& order : orders_of(players, seed, pair)) {
      int64_t before = 1;
      for (int64_t k = 0; k < players; ++k) {
        const int64_t after = k + 1 < players ? next++ : 0, p = order[static_cast<size_t>(k)];
        plan.terms.push_back({p, after, weight});
        plan.terms.push_back({p, before, -weight});
        before = after;
      }
    }
  }
  return plan;
}

}  // namespace ascribe::core
