// The weights of a(T) in the faithful indices of order k (Tsai, Yeh, Ravikumar, "Faith-Shap", JMLR 2023): the
// dividends of the game of order k that is nearest to v.
#pragma once

namespace ascribe::core {

double faithful_shapley_weight(int s, int t, int order);  // Shapley kernel; exact at the empty and the full set
double faithful_banzhaf_weight(int s, int t, int order);  // all coalitions count the same

}  // namespace ascribe::core
