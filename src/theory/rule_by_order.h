// What an allocation rule gives every player of all effects of order k together, for each k, without listing the
// effects: a(k) = sum over |kappa| = k of w(i, kappa) I(kappa). Every rule has a way of its own (order_sums.h):
//   slopes        first-order rules: jets along one player at a time
//   coalitions    rules that are linear in v(S): the same combination of [t^k] f(point + t step_S)
//   degrees       shares kappa_i / k: one jet of the gradient
//   signed groups modules sigma(sum of z + s): jets along N+, N- and both; within a group by z
#pragma once

#include <string_view>
#include <vector>

#include "game/coalition_plan.h"
#include "theory/allocation.h"
#include "theory/order_sums.h"

namespace ascribe::core {

using ByOrder = std::vector<std::vector<double>>;  // [k][player], k = 0 .. K; nothing at k = 0

// Everyone, and everyone without each window; a player of several windows has their mean.
CoalitionPlan window_plan(int64_t players, const std::vector<std::vector<int>>& windows);
// Whose orders the Shapley value is averaged over: all of them up to so many players, then random ones.
struct ShapleyOrders {
  int64_t exact = 16;
  int64_t pairs = 2;  // an order and its reverse
  uint64_t seed = 0;
};
CoalitionPlan shapley_plan(int64_t players, const ShapleyOrders& orders);

// For every method that has an allocation rule except grad_cam, whose surrogate has one order only.
ByOrder rule_by_order(std::string_view method, OrderSums& sums, const Expansion& at, const AllocationContext& context,
                      const ShapleyOrders& orders);

// Sums over all orders up to k; the mean over several expansions.
ByOrder running_sum(const std::vector<ByOrder>& expansions);

// The rule applied to effects one by one, added to `values`; `sizes` adds up the same without regard to sign, which is
// what rounding goes by where large effects cancel.
struct Listed {
  std::vector<double> values, sizes;
  void add(const AllocationRule& rule, const AllocationContext& context, const Effects& effects, double share = 1);
};

double norm(std::span<const double> values);
// |a - b| / |scale|, 0 if a = b.
double relative_error(std::span<const double> a, std::span<const double> b, std::span<const double> scale);

struct Mean {
  double mean = 0, standard_error = 0;
  int64_t count = 0;
};
Mean mean_of(const std::vector<double>& values);

}  // namespace ascribe::core
