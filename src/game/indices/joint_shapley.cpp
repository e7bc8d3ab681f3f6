// Joint Shapley values of order k: I(S) = sum over T outside of S of q(t) (v(T and S) - v(T)), where players join
// in sets of at most k, every such set with the same chance:
//   q(0) = 1 / sum over j = 1..k of C(n, j)
//   q(r) = sum over j = max(r-k, 0)..r-1 of C(r, j) q(j) / sum over j = 1..min(k, n-r) of C(n-r, j)
// Source: Harris, Pymar, Rowat, "Joint Shapley values", ICLR 2022. A set keeps its value when a player without
// effect joins it, so `dummy` does not hold.
#include <algorithm>

#include "game/interaction_index.h"
#include "game/subsets.h"

namespace ascribe::core::index_joint_shapley {

namespace {

double ways_on(int players, int order) {  // to choose the next ones who join
  double sum = 0;
  for (int j = 1; j <= std::min(order, players); ++j) sum += binomial(players, j);
  return sum;
}

double weight(int, int t, int n, int order) {
  std::vector<double> q = {1 / ways_on(n, order)};
  for (int r = 1; r <= t; ++r) {
    double arrivals = 0;
    for (int j = std::max(r - order, 0); j < r; ++j) arrivals += binomial(r, j) * q[static_cast<size_t>(j)];
    q.push_back(arrivals / ways_on(n - r, order));
  }
  return q.back();
}

Effects jointsv(const Dividends& dividends, int order) { return generalised_values(dividends, order, weight); }

const RegisterIndex kJoint({.name = "jointsv",
                            .title = "Joint Shapley value",
                            .formula = "mean of v(T + S) - v(T) when sets of at most k players join in turn",
                            .source = "Harris, Pymar, Rowat 2022",
                            .efficient = true,
                            .dummy = false,
                            .joint = true,
                            .compute = jointsv});

}  // namespace

}  // namespace ascribe::core::index_joint_shapley
