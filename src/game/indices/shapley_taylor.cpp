// The Shapley-Taylor interaction index of order k: below the order the dividends themselves; at the order
//   STII(S) = sum over T containing S of a(T) / C(|T|, k).
#include "game/interaction_index.h"
#include "game/subsets.h"

namespace ascribe::core::index_shapley_taylor {

namespace {

double weight(int s, int t, int order) {
  if (s == order) return 1 / binomial(t, order);
  return s == t ? 1 : 0;
}

const RegisterIndex kStii({.name = "stii",
                           .title = "Shapley-Taylor interaction index",
                           .formula = "|S| < k: a(S); |S| = k: sum over T containing S of a(T) / C(|T|, k)",
                           .source = "Sundararajan, Dhamdhere, Agarwal 2020",
                           .efficient = true,
                           .superset_weight = weight});

}  // namespace

}  // namespace ascribe::core::index_shapley_taylor
