// kADD-SHAP: the Shapley interactions of the k-additive game nearest to v under the Shapley kernel. That game's
// dividends are FSII, so
//   kADD(S) = sum over U containing S, |U| <= k, of FSII(U) / (|U| - |S| + 1);
// C(t-s, u-s) sets U of size u lie between S and T, which makes it a sum over supersets, too.
// Source: Pelegrina, Duarte, Grabisch, Artificial Intelligence 325 (2023).
#include <algorithm>

#include "game/indices/faithful.h"
#include "game/interaction_index.h"
#include "game/subsets.h"

namespace ascribe::core::index_k_additive {

namespace {

double weight(int s, int t, int order) {
  double sum = 0;
  for (int u = s; u <= std::min(t, order); ++u) {
    sum += binomial(t - s, u - s) * faithful_shapley_weight(u, t, order) / (u - s + 1);
  }
  return sum;
}

const RegisterIndex kKadd({.name = "kadd_shap",
                           .title = "Shapley interactions of the best k-additive game",
                           .formula = "sum over U containing S, |U| <= k, of fsii(U) / (|U| - |S| + 1)",
                           .source = "Pelegrina, Duarte, Grabisch 2023",
                           .superset_weight = weight});

}  // namespace

}  // namespace ascribe::core::index_k_additive
