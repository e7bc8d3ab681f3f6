#include "game/index_definitions.h"

#include <bit>
#include <cmath>

namespace ascribe::core {

namespace {

double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
double choose(int n, int k) { return k < 0 || k > n ? 0 : factorial(n) / factorial(k) / factorial(n - k); }
const double kBernoulli[] = {1, -1.0 / 2, 1.0 / 6, 0, -1.0 / 30, 0, 1.0 / 42, 0};

template <class F>
void for_sets(int players, int order, F&& f) {
  for (unsigned set = 1; set < 1U << players; ++set) {
    if (std::popcount(set) <= order) f(set);
  }
}

// sum over L in S of (-1)^(|S| - |L|) v(T and L)
double discrete_derivative(const DefinedGame& game, unsigned set, unsigned others) {
  double sum = 0;
  for (unsigned part = 0; part < game.values.size(); ++part) {
    if ((part & ~set) != 0) continue;
    sum += (std::popcount(set & ~part) % 2 == 0 ? 1 : -1) * game.values[others | part];
  }
  return sum;
}

double joint_contribution(const DefinedGame& game, unsigned set, unsigned others) {
  return game.values[others | set] - game.values[others];
}

// The sum over T outside of S of p(s, t, n, order) times one of the two above.
using Weight = double (*)(int s, int t, int n, int order);
using Difference = double (*)(const DefinedGame&, unsigned set, unsigned others);
Definition mean_of(Difference difference, Weight weight) {
  return [=](const DefinedGame& game, int order) {
    IndexValues result;
    for_sets(game.players, order, [&](unsigned set) {
      for (unsigned others = 0; others < game.values.size(); ++others) {
        if ((others & set) != 0) continue;
        result[set] +=
            weight(std::popcount(set), std::popcount(others), game.players, order) * difference(game, set, others);
      }
    });
    return result;
  };
}

double shapley(int s, int t, int n, int) { return factorial(n - t - s) * factorial(t) / factorial(n - s + 1); }
double banzhaf(int s, int, int n, int) { return std::pow(0.5, n - s); }
double chaining(int s, int t, int n, int) { return s * factorial(n - s - t) * factorial(s + t - 1) / factorial(n); }
double only_empty(int, int t, int, int) { return t == 0 ? 1 : 0; }
double only_all(int s, int t, int n, int) { return t == n - s ? 1 : 0; }
double shapley_taylor(int s, int t, int n, int order) {
  return s < order ? only_empty(s, t, n, order) : order / (n * choose(n - 1, t));
}

// Joint Shapley: the chance that exactly t players are there at some time, each of them equally likely, when
// every next set of at most k players is equally likely.
double joint_weight(int, int t, int n, int order) {
  const auto next = [&](int there) {
    double ways = 0;
    for (int j = 1; j <= std::min(order, n - there); ++j) ways += choose(n - there, j);
    return ways;
  };
  std::vector<double> passes = {1};  // the chance to pass through a given set of this size
  for (int r = 1; r <= t; ++r) {
    double chance = 0;
    for (int from = std::max(0, r - order); from < r; ++from) {
      chance += choose(r, from) * passes[static_cast<size_t>(from)] / next(from);
    }
    passes.push_back(chance);
  }
  return passes.back() / next(t);
}

// Bordt and von Luxburg's recursion over the order.
IndexValues k_sii(const DefinedGame& game, int order) {
  IndexValues sii = mean_of(discrete_derivative, shapley)(game, order), result;
  for (int k = 1; k <= order; ++k) {
    for_sets(game.players, k, [&](unsigned set) {
      const int size = std::popcount(set);
      if (size == k) {
        result[set] = sii[set];
        return;
      }
      for_sets(game.players, k, [&](unsigned larger) {
        if (std::popcount(larger) == k && (larger & set) == set) result[set] += kBernoulli[k - size] * sii[larger];
      });
    });
  }
  return result;
}

// Gauss with pivots.
std::vector<double> solve(std::vector<std::vector<double>> m, std::vector<double> b) {
  const size_t n = b.size();
  for (size_t c = 0; c < n; ++c) {
    size_t pivot = c;
    for (size_t r = c; r < n; ++r) pivot = std::abs(m[r][c]) > std::abs(m[pivot][c]) ? r : pivot;
    std::swap(m[c], m[pivot]);
    std::swap(b[c], b[pivot]);
    for (size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double factor = m[r][c] / m[c][c];
      for (size_t k = c; k < n; ++k) m[r][k] -= factor * m[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (size_t i = 0; i < n; ++i) b[i] /= m[i][i];
  return b;
}

// The x(S), S in `sets`, that make sum over S of feature(S, T) x(S) fit v(T) best in the mean of the squares with
// these weights by |T|; exactly for those T that are `exact` (Lagrange).
IndexValues best_fit(const DefinedGame& game, const std::vector<unsigned>& sets, double (*feature)(unsigned, unsigned),
                     const std::vector<double>& weights, const std::vector<unsigned>& exact) {
  const size_t unknowns = sets.size(), n = unknowns + exact.size();
  std::vector<std::vector<double>> m(n, std::vector<double>(n));
  std::vector<double> b(n);
  for (unsigned t = 0; t < game.values.size(); ++t) {
    const double weight = weights[static_cast<size_t>(std::popcount(t))];
    for (size_t i = 0; i < unknowns; ++i) {
      const double scaled = weight * feature(sets[i], t);
      for (size_t j = 0; j < unknowns; ++j) m[i][j] += scaled * feature(sets[j], t);
      b[i] += scaled * game.values[t];
    }
  }
  for (size_t e = 0; e < exact.size(); ++e) {
    for (size_t i = 0; i < unknowns; ++i) m[i][unknowns + e] = m[unknowns + e][i] = feature(sets[i], exact[e]);
    b[unknowns + e] = game.values[exact[e]];
  }
  const std::vector<double> x = solve(m, b);
  IndexValues result;
  for (size_t i = 0; i < unknowns; ++i) {
    if (sets[i] != 0) result[sets[i]] = x[i];
  }
  return result;
}

double contains(unsigned set, unsigned coalition) { return (set & ~coalition) == 0 ? 1 : 0; }

// The part of the game with Shapley interaction 1 at S: sum over l of C(r, l) B(s - l), r = |S and T|.
double bernoulli_feature(unsigned set, unsigned coalition) {
  if (set == 0) return 1;
  const int common = std::popcount(set & coalition), size = std::popcount(set);
  double sum = 0;
  for (int l = 1; l <= common; ++l) sum += choose(common, l) * kBernoulli[size - l];
  return sum;
}

Definition fit(double (*feature)(unsigned, unsigned), bool shapley_kernel) {
  return [=](const DefinedGame& game, int order) {
    std::vector<unsigned> sets = {0}, exact;
    for_sets(game.players, order, [&](unsigned set) { sets.push_back(set); });
    std::vector<double> weights(static_cast<size_t>(game.players) + 1, 1.0);
    if (shapley_kernel) {
      const int n = game.players;
      for (int t = 1; t < n; ++t) weights[static_cast<size_t>(t)] = (n - 1) / (choose(n, t) * t * (n - t));
      weights.front() = weights.back() = 0;
      exact = {0, static_cast<unsigned>(game.values.size() - 1)};
    }
    return best_fit(game, sets, feature, weights, exact);
  };
}

}  // namespace

const std::map<std::string, Definition>& index_definitions() {
  static const std::map<std::string, Definition> definitions = {
      {"shapley", mean_of(discrete_derivative, shapley)},     {"banzhaf", mean_of(discrete_derivative, banzhaf)},
      {"sii", mean_of(discrete_derivative, shapley)},         {"k_sii", k_sii},
      {"stii", mean_of(discrete_derivative, shapley_taylor)}, {"fsii", fit(contains, true)},
      {"bii", mean_of(discrete_derivative, banzhaf)},         {"fbii", fit(contains, false)},
      {"chii", mean_of(discrete_derivative, chaining)},       {"moebius", mean_of(discrete_derivative, only_empty)},
      {"co_moebius", mean_of(discrete_derivative, only_all)}, {"sgv", mean_of(joint_contribution, shapley)},
      {"bgv", mean_of(joint_contribution, banzhaf)},          {"chgv", mean_of(joint_contribution, chaining)},
      {"igv", mean_of(joint_contribution, only_empty)},       {"egv", mean_of(joint_contribution, only_all)},
      {"jointsv", mean_of(joint_contribution, joint_weight)}, {"kadd_shap", fit(bernoulli_feature, true)},
  };
  return definitions;
}

}  // namespace ascribe::core
