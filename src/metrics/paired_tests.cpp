#include "metrics/paired_tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metrics/statistics.h"

namespace ascribe::core {

namespace {

std::vector<double> nonzero(std::span<const double> differences) {
  std::vector<double> kept;
  std::copy_if(differences.begin(), differences.end(), std::back_inserter(kept), [](double d) { return d != 0; });
  return kept;
}

int64_t positive(const std::vector<double>& differences) {
  return std::count_if(differences.begin(), differences.end(), [](double d) { return d > 0; });
}

// Both tails: twice the smaller one, which holds the value itself.
double two_sided(double tail) { return std::min(1.0, 2 * tail); }

// log of C(n, k) / 2^n
double log_binomial_half(int64_t n, int64_t k) {
  const auto total = static_cast<double>(n), part = static_cast<double>(k);
  return std::lgamma(total + 1) - std::lgamma(part + 1) - std::lgamma(total - part + 1) - total * std::log(2.0);
}

// The chance that a sum of ranks, each taken or not with probability 1/2, is at most `most`. Ranks are doubled, so that
// mean ranks are whole.
double chance_of_sum_up_to(const std::vector<int64_t>& doubled, int64_t most) {
  const int64_t all = std::accumulate(doubled.begin(), doubled.end(), int64_t{0});
  std::vector<double> chance(static_cast<size_t>(all) + 1, 0.0);
  chance[0] = 1;
  int64_t reach = 0;
  for (const int64_t rank : doubled) {
    reach += rank;
    for (int64_t sum = reach; sum >= 0; --sum) {
      const double with = sum >= rank ? chance[static_cast<size_t>(sum - rank)] : 0;
      chance[static_cast<size_t>(sum)] = 0.5 * (chance[static_cast<size_t>(sum)] + with);
    }
  }
  return std::accumulate(chance.begin(), chance.begin() + most + 1, 0.0);
}

// By the normal distribution with the mean and variance of these ranks; half a rank of continuity.
double normal_tail(const std::vector<double>& ranks, double smaller) {
  double mean = 0, variance = 0;
  for (const double rank : ranks) {
    mean += rank / 2;
    variance += rank * rank / 4;
  }
  const double distance = std::max(0.0, mean - smaller - 0.5);
  return 0.5 * std::erfc(distance / std::sqrt(2 * variance));
}

}  // namespace

PairedTest sign_test(std::span<const double> differences) {
  const std::vector<double> kept = nonzero(differences);
  PairedTest test{std::ssize(kept), positive(kept), 1};
  if (kept.empty()) return test;
  double tail = 0;
  for (int64_t k = 0; k <= std::min(test.above, test.count - test.above); ++k) {
    tail += std::exp(log_binomial_half(test.count, k));
  }
  test.p = two_sided(tail);
  return test;
}

PairedTest signed_rank_test(std::span<const double> differences) {
  const std::vector<double> kept = nonzero(differences);
  PairedTest test{std::ssize(kept), positive(kept), 1};
  if (kept.empty()) return test;
  const std::vector<double> ranks = ranks_of(absolute_values(kept));
  double above = 0, below = 0;
  for (size_t i = 0; i < kept.size(); ++i) (kept[i] > 0 ? above : below) += ranks[i];
  const double smaller = std::min(above, below);
  if (test.count > kExactPairs) {
    test.p = two_sided(normal_tail(ranks, smaller));
    return test;
  }
  std::vector<int64_t> doubled;
  for (const double rank : ranks) doubled.push_back(std::llround(2 * rank));
  test.p = two_sided(chance_of_sum_up_to(doubled, std::llround(2 * smaller)));
  return test;
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, static_cast<double>(order.size() - i) * p[order[i]]);
    adjusted[order[i]] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace ascribe::core
