// The nodes are the roots of the Legendre polynomial P_n, found by Newton's method from cos(pi (i + 3/4) / (n + 1/2));
// the weights are 2 / ((1 - t^2) P_n'(t)^2). On [0, 1] both are halved, and the nodes moved.
#include "methods/gauss_legendre.h"

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

#include "base/error.h"

namespace ascribe::core {

namespace {

struct Legendre {
  double value, slope;
};

// P_n and its derivative at t inside (-1, 1), by the three-term recurrence.
Legendre legendre(int64_t n, double t) {
  double before = 1, value = t;
  for (int64_t k = 2; k <= n; ++k) {
    const auto order = static_cast<double>(k);
    const double next = ((2 * order - 1) * t * value - (order - 1) * before) / order;
    before = value;
    value = next;
  }
  return {value, static_cast<double>(n) * (t * value - before) / (t * t - 1)};
}

// Root i of P_n, counted from 1 downwards. Newton's method converges quadratically: a few steps reach the last digit.
double root(int64_t n, int64_t i) {
  double t = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(n) + 0.5));
  for (int step = 0; step < 8; ++step) {
    const Legendre p = legendre(n, t);
    t -= p.value / p.slope;
  }
  return t;
}

Quadrature computed(int64_t n) {
  Quadrature rule;
  rule.nodes.resize(static_cast<size_t>(n));
  rule.weights.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < (n + 1) / 2; ++i) {
    const bool middle = 2 * i + 1 == n;
    const double t = middle ? 0 : root(n, i);
    const double slope = n == 1 ? 1 : legendre(n, t).slope;
    const double weight = 1 / ((1 - t * t) * slope * slope);
    rule.nodes[static_cast<size_t>(i)] = (1 - t) / 2;
    rule.nodes[static_cast<size_t>(n - 1 - i)] = (1 + t) / 2;
    rule.weights[static_cast<size_t>(i)] = rule.weights[static_cast<size_t>(n - 1 - i)] = weight;
  }
  return rule;
}

}  // namespace

const Quadrature& gauss_legendre(int64_t count) {
  require(count > 0, "gauss_legendre", "expected at least one node");
  static std::mutex mutex;
  static std::map<int64_t, Quadrature> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(count);
  return found != known.end() ? found->second : known.emplace(count, computed(count)).first->second;
}

}  // namespace ascribe::core
