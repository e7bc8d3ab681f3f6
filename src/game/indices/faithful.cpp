// Faithful interaction indices: the game of order k that fits v best, by its dividends. In closed form, with the
// sums over the T with more than k players that contain S:
//   FSII(S) = a(S) + (-1)^(k-s) s / (k+s) C(k, s) sum of C(t-1, k) / C(t+k-1, k+s) a(T)
//   FBII(S) = a(S) + (-1)^(k-s) sum of C(t-s-1, k-s) / 2^(t-s) a(T)
// Source: Tsai, Yeh, Ravikumar, "Faith-Shap: the faithful Shapley interaction index", JMLR 24 (2023).
#include "game/indices/faithful.h"

#include <cmath>

#include "game/interaction_index.h"
#include "game/subsets.h"

namespace ascribe::core {

namespace {

double sign(int exponent) { return exponent % 2 == 0 ? 1 : -1; }

const RegisterIndex kFsii({.name = "fsii",
                           .title = "Faithful Shapley interaction index",
                           .formula = "dividends of the best fit of order k under the Shapley kernel",
                           .source = "Tsai, Yeh, Ravikumar 2023",
                           .efficient = true,
                           .superset_weight = faithful_shapley_weight});

const RegisterIndex kFbii({.name = "fbii",
                           .title = "Faithful Banzhaf interaction index",
                           .formula = "dividends of the best fit of order k, all coalitions alike",
                           .source = "Tsai, Yeh, Ravikumar 2023",
                           .superset_weight = faithful_banzhaf_weight});

}  // namespace

double faithful_shapley_weight(int s, int t, int order) {
  if (t <= order) return s == t ? 1 : 0;
  return sign(order - s) * s / (order + s) * binomial(order, s) * binomial(t - 1, order) /
         binomial(t + order - 1, order + s);
}

double faithful_banzhaf_weight(int s, int t, int order) {
  if (t <= order) return s == t ? 1 : 0;
  return sign(order - s) * std::ldexp(binomial(t - s - 1, order - s), s - t);
}

}  // namespace ascribe::core
