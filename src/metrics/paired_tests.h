// Tests of paired differences, two-sided: is one of two groups better on more samples than chance would make it, or by
// more? Differences of 0 decide nothing and are left out (Wilcoxon 1945). Holm (1979) corrects for several tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core {

struct PairedTest {
  int64_t count = 0;  // differences that are not 0
  int64_t above = 0;  // how many are positive
  double p = 1;       // of the null hypothesis that both signs are equally likely
};

// The binomial probability, exact.
PairedTest sign_test(std::span<const double> differences);

// Of ranks of the sizes, equal ones sharing their mean rank. Exact, given the ties, up to kExactPairs differences; the
// normal distribution with corrections for ties and continuity beyond.
inline constexpr int64_t kExactPairs = 200;
PairedTest signed_rank_test(std::span<const double> differences);

// p of every test times what makes the chance of any false alarm at most p, in the same order; at most 1.
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace ascribe::core
