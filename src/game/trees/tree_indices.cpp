// The indices of u(S) = [A in S, B outside of S]. With T running over the supersets of S, a sum of weight(t) a(T) is
//   (-1)^|S and B| sum over r of (-1)^r C(beta, r) weight(tau + r),   beta = |B without S|, tau = |A or S|,
// if S lies in A and B together, and 0 otherwise. Weights that are Beta integrals give Beta functions, so nothing is
// left that cancels: docs/theory/trees.md has the list. Generalised values are means of u(T and S) - u(T), which is 1
// if S meets A and not B, -1 if it meets B and not A, for T that hold A without S and avoid B without S.
#include "game/trees/tree_indices.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/error.h"
#include "game/subsets.h"
#include "game/trees/sparse_effects.h"

namespace ascribe::core {

namespace {

// A set S beside the sets A and B of a leaf.
struct Meeting {
  int in_a, in_b;  // of S
  int a, b;        // of the leaf
  int order;
  int players;

  int size() const { return in_a + in_b; }
  int alpha() const { return a - in_a; }
  int beta() const { return b - in_b; }
  double sign() const { return in_b % 2 == 0 ? 1 : -1; }
};

using OfLeaf = double (*)(const Meeting&);

// (p-1)! (q-1)! / (p+q-1)!
double beta_function(int p, int q) { return std::exp(std::lgamma(p) + std::lgamma(q) - std::lgamma(p + q)); }

// The same to the last bits where a binomial coefficient is one.
double beta_value(int p, int q) { return p + q <= 1000 ? 1 / (p * binomial(p + q - 1, p)) : beta_function(p, q); }

double parity(int exponent) { return exponent % 2 == 0 ? 1 : -1; }

// C(n, k) as a polynomial of n, which may be -1.
double falling_binomial(int n, int k) { return n < 0 ? parity(k) : binomial(n, k); }

double moebius(const Meeting& m) { return m.alpha() == 0 ? m.sign() : 0; }
double co_moebius(const Meeting& m) { return m.beta() == 0 ? m.sign() : 0; }
double sii(const Meeting& m) { return m.sign() * beta_value(m.alpha() + 1, m.beta() + 1); }
double bii(const Meeting& m) { return m.sign() * std::ldexp(1.0, -(m.alpha() + m.beta())); }
double chii(const Meeting& m) { return m.sign() * m.size() * beta_value(m.a + m.in_b, m.beta() + 1); }

double stii(const Meeting& m) {
  if (m.size() < m.order) return moebius(m);
  return m.sign() * m.order * beta_value(m.alpha() + 1, m.order + m.beta());
}

// Partial fractions of the weight: sum over j < k of c_j / (t + j).
double fsii(const Meeting& m) {
  const int k = m.order, s = m.size();
  double scale = parity(k - s) * s / (k + s) * binomial(k, s);
  for (int i = k + 1; i <= k + s; ++i) scale *= i;
  double sum = 0;
  for (int j = 0; j < k; ++j) {
    double c = 1;
    for (int i = s + 1; i <= k; ++i) c *= -(j + i);
    for (int l = 0; l < k; ++l) {
      if (l != j) c /= l - j;
    }
    sum += c * beta_value(m.a + m.in_b + j, m.beta() + 1);
  }
  return m.sign() * scale * sum;
}

double fbii(const Meeting& m) {
  const int left = m.order - m.size();
  double sum = 0;
  for (int j = 0; j <= left; ++j) {
    sum += falling_binomial(m.alpha() - 1, left - j) * binomial(m.beta(), j) * parity(j);
  }
  return m.sign() * parity(left) * std::ldexp(sum, -(m.alpha() + m.beta()));
}

// The sum over R outside of S, within A and B, |S| + |R| <= k, of weight(|R|) of(S and R).
template <class W>
double over_larger(const Meeting& m, OfLeaf of, W&& weight) {
  double sum = 0;
  const int most = m.order - m.size();
  for (int ra = 0; ra <= std::min(most, m.alpha()); ++ra) {
    for (int rb = 0; rb <= std::min(most - ra, m.beta()); ++rb) {
      Meeting larger = m;
      larger.in_a += ra;
      larger.in_b += rb;
      sum += binomial(m.alpha(), ra) * binomial(m.beta(), rb) * weight(ra + rb) * of(larger);
    }
  }
  return sum;
}

double bernoulli_number(int n) {
  std::vector<double> numbers = {1};
  for (int k = 1; k <= n; ++k) {
    double sum = 0;
    for (int j = 0; j < k; ++j) sum += binomial(k + 1, j) * numbers[static_cast<size_t>(j)];
    numbers.push_back(k > 1 && k % 2 == 1 ? 0 : -sum / (k + 1));
  }
  return numbers.back();
}

double k_sii(const Meeting& m) { return over_larger(m, sii, bernoulli_number); }
double kadd_shap(const Meeting& m) {
  return over_larger(m, fsii, [](int r) { return 1.0 / (r + 1); });
}

// ---- generalised values: the chance that T holds alpha players and avoids beta others ----

double sgv(const Meeting& m) { return beta_value(m.alpha() + 1, m.beta() + 1); }
double bgv(const Meeting& m) { return std::ldexp(1.0, -(m.alpha() + m.beta())); }
double igv(const Meeting& m) { return m.alpha() == 0 ? 1 : 0; }
double egv(const Meeting& m) { return m.beta() == 0 ? 1 : 0; }

// `size` of a set with more players than those that the leaf knows is kept apart: order holds it.
double chgv(const Meeting& m) { return m.order * beta_value(m.order + m.alpha(), m.beta() + 1); }

double log_binomial(int n, int k) { return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0); }

// In logarithms: to choose the next ones who join, at most `order` of `players`.
double log_ways_on(int players, int order) {
  double sum = 0;
  const double largest = log_binomial(players, std::min(order, (players + 1) / 2));
  for (int j = 1; j <= std::min(order, players); ++j) sum += std::exp(log_binomial(players, j) - largest);
  return largest + std::log(sum);
}

// Joint Shapley values of order k: sets of at most k players join in turn. visits[t]: the chance that at some time t
// players are there; then they are any t of the n alike.
class JointShapley {
 public:
  JointShapley(int players, int order) : players_(players), visits_(static_cast<size_t>(players), 0.0) {
    visits_[0] = 1;
    for (int t = 0; t < players; ++t) ways_.push_back(log_ways_on(players - t, order));
    for (int t = 1; t < players; ++t) {
      for (int j = std::max(0, t - order); j < t; ++j) {
        visits_[static_cast<size_t>(t)] += visits_[static_cast<size_t>(j)] *
                                           std::exp(log_binomial(players - j, t - j) - ways_[static_cast<size_t>(j)]);
      }
    }
  }

  // The sum over T of q(t), T holding alpha players, avoiding beta and the s of S.
  double chance(int s, int alpha, int beta) const {
    const int others = players_ - s - alpha - beta;
    double sum = 0;
    for (int j = 0; j <= others; ++j) {
      const int t = alpha + j;
      if (t >= players_) break;
      sum += visits_[static_cast<size_t>(t)] *
             std::exp(log_binomial(others, j) - log_binomial(players_, t) - ways_[static_cast<size_t>(t)]);
    }
    return sum;
  }

 private:
  int players_;
  std::vector<double> visits_, ways_;
};

// ---- all sets of a leaf ----

const std::map<std::string, OfLeaf>& superset_indices() {
  static const std::map<std::string, OfLeaf> table = {
      {"shapley", sii}, {"banzhaf", bii},         {"sii", sii},         {"bii", bii},
      {"chii", chii},   {"stii", stii},           {"fsii", fsii},       {"fbii", fbii},
      {"k_sii", k_sii}, {"kadd_shap", kadd_shap}, {"moebius", moebius}, {"co_moebius", co_moebius}};
  return table;
}

const std::map<std::string, OfLeaf>& generalised_indices() {
  static const std::map<std::string, OfLeaf> table = {{"sgv", sgv}, {"bgv", bgv}, {"chgv", chgv},
                                                      {"igv", igv}, {"egv", egv}, {"jointsv", nullptr}};
  return table;
}

// Calls f(set, members of A, members of B) for all sets of 1 .. order of the candidates, of which the first `a` are A's
// and the next `b` are B's.
template <class F>
void for_each_set(const std::vector<int>& candidates, int a, int b, int order, F&& f) {
  std::vector<int> set;
  const std::function<void(size_t, int, int)> extend = [&](size_t from, int in_a, int in_b) {
    for (size_t i = from; i < candidates.size(); ++i) {
      const int place = static_cast<int>(i), more_a = place < a ? 1 : 0, more_b = place >= a && place < a + b ? 1 : 0;
      set.push_back(candidates[i]);
      f(set, in_a + more_a, in_b + more_b);
      if (static_cast<int>(set.size()) < order) extend(i + 1, in_a + more_a, in_b + more_b);
      set.pop_back();
    }
  };
  extend(0, 0, 0);
}

double sets_up_to_size(double count, int order) {
  double sum = 0, term = 1;
  for (int k = 1; k <= order; ++k) {
    term *= (count - k + 1) / k;
    if (term <= 0) break;
    sum += term;
  }
  return sum;
}

void check_work(const std::vector<LeafGame>& games, bool generalised, int64_t players, int order, int64_t most) {
  double work = 0;
  for (const LeafGame& game : games) {
    const auto own = static_cast<double>(game.inside.size() + game.outside.size());
    work += sets_up_to_size(generalised ? static_cast<double>(players) : own, order);
  }
  if (work > static_cast<double>(most)) {
    fail(ErrorKind::argument, "order",
         "the index takes {:.3g} steps for the leaves of the trees; expected at most {}, which a smaller `order` gives",
         work, most);
  }
}

// Closed forms by the numbers of players that meet; every leaf asks for the same few.
class Known {
 public:
  Known(std::function<double(const Meeting&)> of) : of_(std::move(of)) {}  // NOLINT: made in place
  double operator()(const Meeting& m) {
    const auto [found, fresh] = values_.try_emplace({m.in_a, m.in_b, m.a, m.b, m.order}, 0.0);
    if (fresh) found->second = of_(m);
    return found->second;
  }

 private:
  std::function<double(const Meeting&)> of_;
  std::map<std::array<int, 5>, double> values_;
};

}  // namespace

Effects tree_index(const InteractionIndex& index, const std::vector<LeafGame>& games, int64_t players, int order,
                   int64_t most, double output, double baseline_output) {
  if (order < index.least_order || order > index.most_order) {
    fail(ErrorKind::argument, "order", "{} has no such order; got {}; expected {} to {}", index.name, order,
         index.least_order, index.most_order);
  }
  order = static_cast<int>(std::min<int64_t>(order, players));
  const auto found = superset_indices().find(index.name);
  const bool generalised = found == superset_indices().end();
  if (generalised && !generalised_indices().contains(index.name)) {
    fail(ErrorKind::unsupported, "index", "{} has no closed form for trees", index.name);
  }
  check_work(games, generalised, players, order, most);
  const auto count = static_cast<int>(players);
  SparseEffects effects;
  std::function<double(const Meeting&)> of;
  if (!generalised) of = found->second;
  else if (index.name == "jointsv") {
    // Here `order` is the size of the set.
    of = [joint = JointShapley(count, order)](const Meeting& m) { return joint.chance(m.order, m.alpha(), m.beta()); };
  } else {
    of = generalised_indices().at(index.name);
  }
  Known known(std::move(of));
  for (const LeafGame& game : games) {
    std::vector<int> candidates = game.inside;
    candidates.insert(candidates.end(), game.outside.begin(), game.outside.end());
    const auto a = static_cast<int>(game.inside.size()), b = static_cast<int>(game.outside.size());
    if (generalised) {
      for (int p = 0; p < count; ++p) {
        if (std::find(candidates.begin(), candidates.begin() + a + b, p) == candidates.begin() + a + b) {
          candidates.push_back(p);
        }
      }
    }
    for_each_set(candidates, a, b, order, [&](const std::vector<int>& set, int in_a, int in_b) {
      if (!generalised) return effects.add(set, game.weight * known({in_a, in_b, a, b, order, count}));
      if ((in_a == 0) == (in_b == 0)) return;
      const double sign = in_a > 0 ? 1 : -1;
      effects.add(set, sign * game.weight * known({in_a, in_b, a, b, static_cast<int>(set.size()), count}));
    });
  }
  return effects.sorted(players, order, output, baseline_output);
}

}  // namespace ascribe::core
