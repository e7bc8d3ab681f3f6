// The Shapley interaction index and its aggregation to an efficient index of order k:
//   SII(S) = sum over T containing S of a(T) / (|T| - |S| + 1)
//   k-SII(S) = sum over R outside of S, |S| + |R| <= k, of B(|R|) SII(S and R),   B: Bernoulli numbers, B(1) = -1/2
// A set T with d players beyond S meets C(d, r) sets R of size r, which makes k-SII a sum over supersets, too.
#include <algorithm>

#include "game/interaction_index.h"
#include "game/subsets.h"

namespace ascribe::core::index_shapley_interaction {

namespace {

double sii_weight(int s, int t, int) { return 1.0 / (t - s + 1); }

// B(0) .. B(last), from sum over j <= n of C(n + 1, j) B(j) = 0.
std::vector<double> bernoulli_numbers(int last) {
  std::vector<double> numbers = {1};
  for (int n = 1; n <= last; ++n) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += binomial(n + 1, j) * numbers[static_cast<size_t>(j)];
    numbers.push_back(n > 1 && n % 2 == 1 ? 0 : -sum / (n + 1));
  }
  return numbers;
}

double k_sii_weight(int s, int t, int order) {
  const int beyond = t - s, largest = std::min(beyond, order - s);
  const std::vector<double> numbers = bernoulli_numbers(largest);
  double sum = 0;
  for (int r = 0; r <= largest; ++r) sum += binomial(beyond, r) * numbers[static_cast<size_t>(r)] / (beyond - r + 1);
  return sum;
}

const RegisterIndex kSii({.name = "sii",
                          .title = "Shapley interaction index",
                          .formula = "sum over T containing S of a(T) / (|T| - |S| + 1)",
                          .source = "Grabisch, Roubens 1999",
                          .superset_weight = sii_weight});

const RegisterIndex kKSii({.name = "k_sii",
                           .title = "k-Shapley values (n-Shapley values)",
                           .formula = "sum over R outside of S, |S| + |R| <= k, of B(|R|) sii(S + R), B: Bernoulli",
                           .source = "Bordt, von Luxburg 2023",
                           .efficient = true,
                           .superset_weight = k_sii_weight});

}  // namespace

}  // namespace ascribe::core::index_shapley_interaction
