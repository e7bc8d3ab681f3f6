#include "theory/rule_by_order.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ascribe::core {

namespace {

ByOrder nothing(const OrderSums& sums, int64_t players) {
  return ByOrder(static_cast<size_t>(sums.order()) + 1, std::vector<double>(static_cast<size_t>(players)));
}

Coalitions single_players(int64_t players) {
  Coalitions sets(players);
  for (int64_t p = 0; p < players; ++p) sets.add(std::span<const int64_t>(&p, 1));
  return sets;
}

ByOrder by_slopes(OrderSums& sums, const Expansion& at) {
  const int64_t players = at.players->count();
  const auto coefficients = sums.coefficients(at, single_players(players), 1);
  ByOrder result = nothing(sums, players);
  for (size_t p = 0; p < coefficients.size(); ++p) result[1][p] = at.sign * coefficients[p][1];
  return result;
}

ByOrder by_plan(OrderSums& sums, const Expansion& at, const CoalitionPlan& plan) {
  const auto coefficients = sums.coefficients(at, plan.sets);
  ByOrder result = nothing(sums, plan.values);
  std::vector<double> v(coefficients.size());
  for (size_t k = 1; k < result.size(); ++k) {
    for (size_t s = 0; s < v.size(); ++s) v[s] = at.sign * coefficients[s][k];
    result[k] = plan.apply(v);
  }
  return result;
}

// ---- one module ----

struct Groups {
  Coalitions sets;  // everyone, N+ and N-
  double positive = 0, negative = 0;
};

Groups groups_of(const std::vector<double>& z) {
  Groups groups{Coalitions(std::ssize(z))};
  const std::vector<uint64_t> all = everyone(std::ssize(z));
  std::vector<int64_t> up, down;
  for (size_t i = 0; i < z.size(); ++i) {
    (z[i] > 0 ? up : down).push_back(static_cast<int64_t>(i));
    (z[i] > 0 ? groups.positive : groups.negative) += z[i];
  }
  groups.sets.add(std::span<const uint64_t>(all));
  groups.sets.add(std::span<const int64_t>(up));
  groups.sets.add(std::span<const int64_t>(down));
  return groups;
}

// Every effect of N+ with degrees p and of N- with q is c(p + q) binomial(p + q, p) Z+^p Z-^q together, of which i in
// N+ has the part z_i / Z+ if the rule goes by degrees within the group. `of_positive` and `of_negative` tell what
// part of the three sums each group has.
struct GroupShares {
  double all, own, other;
};

ByOrder by_groups(OrderSums& sums, const Expansion& at, const AllocationContext& context, GroupShares of_positive,
                  GroupShares of_negative) {
  const Groups groups = groups_of(context.z);
  const auto c = sums.coefficients(at, groups.sets);
  ByOrder result = nothing(sums, std::ssize(context.z));
  for (size_t k = 1; k < result.size(); ++k) {
    for (size_t i = 0; i < context.z.size(); ++i) {
      const bool up = context.z[i] > 0;
      const GroupShares& share = up ? of_positive : of_negative;
      const double total = up ? groups.positive : groups.negative;
      const double own = c[up ? 1 : 2][k], other = c[up ? 2 : 1][k];
      if (total != 0) {
        result[k][i] = context.z[i] / total * (share.all * c[0][k] + share.own * own + share.other * other);
      }
    }
  }
  return result;
}

// Effects of both groups are what everyone has beyond N+ and N-: half of them on top of a group's own.
constexpr GroupShares kRevealCancel = {0.5, 0.5, -0.5};

}  // namespace

CoalitionPlan window_plan(int64_t players, const std::vector<std::vector<int>>& windows) {
  CoalitionPlan plan{Coalitions(players), players, {}};
  const std::vector<uint64_t> all = everyone(players);
  plan.sets.add(std::span<const uint64_t>(all));
  std::vector<std::vector<int64_t>> sets_of(static_cast<size_t>(players));
  for (const std::vector<int>& window : windows) {
    std::vector<uint64_t> words = all;
    for (const int p : window) {
      words[static_cast<size_t>(p) / 64] &= ~(uint64_t{1} << (p % 64));
      sets_of[static_cast<size_t>(p)].push_back(plan.sets.size());
    }
    plan.sets.add(std::span<const uint64_t>(words));
  }
  for (int64_t p = 0; p < players; ++p) {
    const auto& own = sets_of[static_cast<size_t>(p)];
    for (const int64_t set : own) {
      plan.terms.push_back({p, 0, 1.0 / static_cast<double>(own.size())});
      plan.terms.push_back({p, set, -1.0 / static_cast<double>(own.size())});
    }
  }
  return plan;
}

CoalitionPlan shapley_plan(int64_t players, const ShapleyOrders& orders) {
  if (players <= orders.exact) return all_coalitions(players);
  return paired_orders(players, orders.pairs, orders.seed);
}

ByOrder rule_by_order(std::string_view method, OrderSums& sums, const Expansion& at, const AllocationContext& context,
                      const ShapleyOrders& orders) {
  const int64_t players = at.players->count();
  const auto is = [&](auto... names) { return ((method == names) || ...); };
  if (is("gradient_x_input", "lrp_epsilon")) return by_slopes(sums, at);
  if (is("occlusion", "prediction_difference")) return by_plan(sums, at, leave_one_out(players));
  if (is("occlusion_patch")) return by_plan(sums, at, window_plan(players, context.windows));
  if (is("shapley", "deep_shap")) return by_plan(sums, at, shapley_plan(players, orders));
  if (is("integrated_gradients", "expected_gradients", "deeplift_rescale")) return sums.shares_by_degree(at);
  if (is("lrp_alpha_beta")) return by_groups(sums, at, context, {context.alpha, 0, 0}, {context.beta, 0, 0});
  if (is("deep_taylor")) return by_groups(sums, at, context, {1, 0, 0}, {0, 0, 0});
  if (is("deeplift_reveal_cancel")) return by_groups(sums, at, context, kRevealCancel, kRevealCancel);
  fail(ErrorKind::unsupported, method, "there are no sums over orders for the rule of this method");
}

ByOrder running_sum(const std::vector<ByOrder>& expansions) {
  ByOrder sums = expansions[0];
  for (size_t k = 0; k < sums.size(); ++k) {
    for (size_t i = 0; i < sums[k].size(); ++i) {
      sums[k][i] = k == 0 ? 0 : sums[k - 1][i];
      for (const ByOrder& one : expansions) sums[k][i] += one[k][i] / static_cast<double>(expansions.size());
    }
  }
  return sums;
}

void Listed::add(const AllocationRule& rule, const AllocationContext& context, const Effects& effects, double share) {
  const auto players = static_cast<size_t>(effects.players);
  values.resize(players);
  sizes.resize(players);
  AllocationRule unsigned_rule = rule;
  unsigned_rule.weight = [&rule](const AllocationContext& c, int player, std::span<const int> degree) {
    return std::abs(rule.weight(c, player, degree));
  };
  Effects magnitudes = effects;
  for (Effect& effect : magnitudes.effects) effect.value = std::abs(effect.value);
  const std::vector<double> own = allocate(rule, context, effects);
  const std::vector<double> size = allocate(unsigned_rule, context, magnitudes);
  for (size_t i = 0; i < players; ++i) {
    values[i] += share * own[i];
    sizes[i] += share * size[i];
  }
}

double norm(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

double relative_error(std::span<const double> a, std::span<const double> b, std::span<const double> scale) {
  std::vector<double> difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  const double error = norm(difference);
  return error == 0 ? 0 : error / norm(scale);
}

Mean mean_of(const std::vector<double>& values) {
  Mean result{.count = std::ssize(values)};
  if (values.empty()) return result;
  const auto count = static_cast<double>(values.size());
  for (const double v : values) result.mean += v / count;
  for (const double v : values) result.standard_error += (v - result.mean) * (v - result.mean);
  result.standard_error = values.size() > 1 ? std::sqrt(result.standard_error / (count - 1) / count) : 0;
  return result;
}

}  // namespace ascribe::core
