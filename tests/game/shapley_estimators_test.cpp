#include "game/estimators/shapley_estimators.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "game/estimators/odd_process.h"

namespace ascribe::core {
namespace {

using Estimator = ShapleyEstimate (*)(Game&, const EstimateRequest&);
constexpr std::array<Estimator, 2> kEstimators = {estimate_by_leverage, estimate_by_proxy};

// v(S) = f of the 0/1 vector of S.
template <class F>
Game game_of(int64_t players, F f) {
  return {players, [players, f](const Coalitions& sets, std::span<double> to, const Progress&) {
            std::vector<double> x(static_cast<size_t>(players));
            for (int64_t s = 0; s < sets.size(); ++s) {
              for (int64_t p = 0; p < players; ++p) x[static_cast<size_t>(p)] = sets.has(s, p) ? 1 : 0;
              to[static_cast<size_t>(s)] = f(x);
            }
          }};
}

// A network of one layer with effects of every order; players beyond `active` do nothing.
struct Net {
  int64_t players, active;
  double slope = 0.4;
  double operator()(const std::vector<double>& x) const {
    const Random random(7);
    double sum = 0;
    for (uint64_t unit = 0; unit < 12; ++unit) {
      double z = random.normal(unit);
      for (int64_t p = 0; p < active; ++p) {
        z += slope * random.normal(1000 + unit * 100 + static_cast<uint64_t>(p)) * x[static_cast<size_t>(p)];
      }
      sum += random.normal(100 + unit) * std::tanh(z);
    }
    return sum;
  }
};

// The definition, over all orders by the weights of coalitions.
template <class F>
std::vector<double> exact_values(int64_t n, F f) {
  std::vector<double> weights, v, result(static_cast<size_t>(n), 0.0);
  for (int64_t s = 0; s < n; ++s) {
    weights.push_back(std::exp(std::lgamma(s + 1.0) + std::lgamma(n - s) - std::lgamma(n + 1.0)));
  }
  for (uint64_t set = 0; set < uint64_t{1} << n; ++set) {
    std::vector<double> x;
    for (int64_t p = 0; p < n; ++p) x.push_back((set >> p & 1) != 0 ? 1 : 0);
    v.push_back(f(x));
  }
  for (uint64_t set = 0; set < v.size(); ++set) {
    for (int64_t p = 0; p < n; ++p) {
      if ((set >> p & 1) != 0) continue;
      result[static_cast<size_t>(p)] +=
          weights[static_cast<size_t>(std::popcount(set))] * (v[set | uint64_t{1} << p] - v[set]);
    }
  }
  return result;
}

double squared_error(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

TEST(PairedDesign, HasEverySizeAlikeAndNoPairTwice) {
  const PairedDesign design = paired_design(20, 190, 3);
  ASSERT_EQ(design.sets.size(), 190U);
  std::set<std::vector<int64_t>> seen;
  std::vector<int> of_size(11, 0);
  double kernel = 0, weight = 0;
  for (size_t i = 0; i < design.sets.size(); ++i) {
    const auto& set = design.sets[i];
    EXPECT_TRUE(std::is_sorted(set.begin(), set.end()));
    EXPECT_TRUE(seen.insert(set).second);
    ++of_size.at(set.size());
    weight += design.weights[i];
  }
  for (int s = 1; s < 20; ++s) kernel += 1.0 / (s * (20 - s));
  for (int s = 1; s < 10; ++s) EXPECT_NEAR(of_size[static_cast<size_t>(s)], 20, 1) << s;
  EXPECT_NEAR(of_size[10], 10, 1);  // a set of ten and its complement are of one size
  EXPECT_NEAR(weight, kernel, 0.05 * kernel);
}

TEST(PairedDesign, UsesUpSmallSizesAndHasAllPairsInTheEnd) {
  const PairedDesign some = paired_design(9, 200, 1);
  EXPECT_EQ(some.sets.size(), 200U);
  EXPECT_EQ(std::count_if(some.sets.begin(), some.sets.end(), [](const auto& s) { return s.size() == 1; }), 9);
  for (const int64_t n : {2, 3, 8, 9}) {
    const PairedDesign all = paired_design(n, 10000, 1);
    EXPECT_EQ(std::ssize(all.sets), (int64_t{1} << (n - 1)) - 1);
    EXPECT_EQ(std::set(all.sets.begin(), all.sets.end()).size(), all.sets.size());
  }
}

TEST(Cholesky, SolvesWhatItFactors) {
  for (const int64_t size : {1, 7, 64, 65, 300}) {
    const Random random(static_cast<uint64_t>(size));
    std::vector<double> root, matrix(static_cast<size_t>(size * size), 0.0);
    for (int64_t k = 0; k < size * size; ++k) root.push_back(random.normal(static_cast<uint64_t>(k)));
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        for (int64_t k = 0; k < size; ++k) {
          matrix[static_cast<size_t>(i * size + j)] += root[static_cast<size_t>(i * size + k)] *
                                                       root[static_cast<size_t>(j * size + k)] /
                                                       static_cast<double>(size);
        }
      }
      matrix[static_cast<size_t>(i * size + i)] += 1;
    }
    const Cholesky factor(matrix, size);
    ASSERT_TRUE(factor.positive());
    std::vector<double> x(static_cast<size_t>(size), 1.0);
    factor.solve(x, 1);
    factor.solve_transposed(x);
    for (int64_t i = 0; i < size; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < size; ++j) sum += matrix[static_cast<size_t>(i * size + j)] * x[static_cast<size_t>(j)];
      EXPECT_NEAR(sum, 1, 1e-10);
    }
  }
  EXPECT_FALSE(Cholesky({1, 0, 2, 1}, 2).positive());
}

// Against the definition: the expected function at all coalitions, and its Shapley values.
TEST(OddProcess, KnowsTheShapleyValuesOfItsExpectation) {
  const int64_t n = 6;
  const Random random(5);
  std::vector<double> rows, y;
  for (uint64_t row = 0; row < 12; ++row) {
    for (int64_t p = 0; p < n; ++p) {
      rows.push_back(random.below(row * 10 + static_cast<uint64_t>(p), 2) == 0 ? -1 : 1);
    }
    y.push_back(random.normal(row));
  }
  rows.insert(rows.end(), static_cast<size_t>(n), 1.0);
  y.push_back(0.7);
  for (const bool slopes : {false, true}) {
    for (const double steepness : {0.0, 1.5, 8.0}) {
      const OddProcess process({{0.1, 0.3, 0.05, 0.25, 0.2, 0.1}, steepness, 0.01, slopes}, rows, y);
      ASSERT_TRUE(process.solved());
      const auto expected = [&](const std::vector<double>& x) {
        std::vector<double> signs;
        for (const double one : x) signs.push_back(2 * one - 1);
        return process.at(signs)[0];
      };
      const std::vector<double> reference = exact_values(n, expected);
      const OddProcess::Shapley found = process.shapley();
      for (size_t i = 0; i < reference.size(); ++i) EXPECT_NEAR(found.values[i], reference[i], 1e-9);
      EXPECT_NEAR(expected(std::vector<double>(6, 1.0)), 0.7, 1e-8);
      EXPECT_NEAR(std::accumulate(found.values.begin(), found.values.end(), 0.0), 1.4, 1e-8);
    }
  }
}

// A row that nothing is known about: variances are those of the process itself, here counted out over all products.
TEST(OddProcess, HasTheVarianceOfShapleyValues) {
  const std::vector<double> w = {0.5, 0.2, 0.3};
  for (const double c : {0.0, 2.0}) {
    const OddProcess process({w, c, 1e12, false}, {1, 1, -1, 1, 1, 1}, {0, 0});
    const auto found = process.shapley().variances;
    // Weights of the products of one and of all three signs.
    std::array<double, 3> one{};
    double three = 0, total = 0;
    if (c == 0) {
      for (size_t i = 0; i < 3; ++i) one[i] = w[i];
      three = 6 * w[0] * w[1] * w[2];
    } else {
      double scale = 1 / std::sinh(c);
      for (const double one_w : w) scale *= std::cosh(c * one_w);
      for (size_t i = 0; i < 3; ++i) one[i] = scale * std::tanh(c * w[i]);
      three = scale * std::tanh(c * w[0]) * std::tanh(c * w[1]) * std::tanh(c * w[2]);
    }
    total = one[0] + one[1] + one[2] + three;
    for (size_t i = 0; i < 3; ++i) {
      // Less what y(N) tells: the covariance of the Shapley value with it, squared.
      const double prior = 4 * one[i] + 4.0 / 9 * three, with_full = 2 * one[i] + 2.0 / 3 * three;
      EXPECT_NEAR(found[i], prior - with_full * with_full / total, 1e-6);
    }
  }
}

TEST(ShapleyEstimators, AreExactWithoutInteractionsOfThree) {
  const auto f = [](const std::vector<double>& x) {
    double sum = 3;
    for (size_t i = 0; i < x.size(); ++i) sum += (static_cast<double>(i) - 5) * x[i];
    return sum + 4 * x[0] * x[1] - 2 * x[3] * x[7];
  };
  for (const Estimator estimate : kEstimators) {
    Game game = game_of(20, f);
    const ShapleyEstimate found = estimate(game, {202, 5, {}});
    EXPECT_EQ(game.evaluations(), 202);
    for (size_t i = 0; i < found.values.size(); ++i) {
      double expected = static_cast<double>(i) - 5;
      if (i < 2) expected += 2;
      if (i == 3 || i == 7) expected -= 1;
      EXPECT_NEAR(found.values[i], expected, 1e-8);
      EXPECT_LT(found.standard_errors[i], 1e-6);
    }
  }
}

TEST(ShapleyEstimators, ProxyIsExactUpToTheThirdOrderWithEnoughDraws) {
  const auto f = [](const std::vector<double>& x) {
    return x[0] * x[1] * x[2] + 2 * x[3] - 5 * x[4] * x[5] * x[6] + x[7] * x[8];
  };
  Game game = game_of(10, f);
  const ShapleyEstimate found = estimate_by_proxy(game, {602, 5, {}});  // 300 of 511 pairs, 130 unknowns
  const std::vector<double> expected = exact_values(10, f);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found.values[i], expected[i], 1e-4);
}

TEST(ShapleyEstimators, ShareOutTheWholeChange) {
  const Net net{30, 30};
  for (const Estimator estimate : kEstimators) {
    Game game = game_of(30, net);
    const ShapleyEstimate found = estimate(game, {302, 1, {}});
    EXPECT_NEAR(std::accumulate(found.values.begin(), found.values.end(), 0.0), found.full - found.empty, 1e-11);
    EXPECT_EQ(found.full, net(std::vector<double>(30, 1.0)));
  }
}

TEST(ShapleyEstimators, AreUnbiasedAndKnowTheirErrors) {
  const int64_t n = 13;
  const Net net{n, 10};
  const std::vector<double> expected = exact_values(n, net);
  const int seeds = 24;
  for (const int64_t budget : {12 * n, 60 * n}) {
    for (const Estimator estimate : kEstimators) {
      std::vector<double> mean(static_cast<size_t>(n), 0.0), squares = mean;
      double covered = 0;
      for (int seed = 0; seed < seeds; ++seed) {
        Game game = game_of(n, net);
        const ShapleyEstimate found = estimate(game, {budget, static_cast<uint64_t>(seed), {}});
        for (size_t i = 0; i < expected.size(); ++i) {
          const double miss = found.values[i] - expected[i];
          mean[i] += miss / seeds;
          squares[i] += miss * miss / seeds;
          covered += std::abs(miss) < 1.96 * found.standard_errors[i] ? 1.0 / (seeds * static_cast<double>(n)) : 0;
        }
      }
      EXPECT_GT(covered, 0.88) << budget;  // 95 % are meant
      double bias = 0, error = 0;
      for (size_t i = 0; i < expected.size(); ++i) bias += mean[i] * mean[i], error += squares[i];
      EXPECT_LT(bias, 0.15 * error) << budget;  // 1/24 of it are the means' own errors
    }
  }
}

TEST(ShapleyEstimators, ProxyNeedsFewerEvaluations) {
  const int64_t n = 14;
  const Net net{n, n};
  const std::vector<double> expected = exact_values(n, net);
  double leverage = 0, proxy = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Game one = game_of(n, net), two = game_of(n, net);
    leverage += squared_error(estimate_by_leverage(one, {50 * n, seed, {}}).values, expected);
    proxy += squared_error(estimate_by_proxy(two, {50 * n, seed, {}}).values, expected);
  }
  EXPECT_LT(proxy, leverage / 2);
}

TEST(ShapleyEstimators, GiveTheSameBitsForAnyNumberOfThreads) {
  for (const Estimator estimate : kEstimators) {
    std::vector<std::vector<double>> found;
    for (const int threads : {1, 2}) {
      const ThreadCount some(threads);
      Game game = game_of(40, Net{40, 40});
      const ShapleyEstimate one = estimate(game, {1202, 9, {}});
      found.push_back(one.values);
      found.push_back(one.standard_errors);
    }
    EXPECT_EQ(found[0], found[2]);
    EXPECT_EQ(found[1], found[3]);
    Game game = game_of(40, Net{40, 40});
    EXPECT_NE(estimate(game, {1202, 10, {}}).values, found[0]);
  }
}

TEST(ShapleyEstimators, ProxyOfSeveralPartsAgrees) {
  const Net net{16, 16};
  const std::vector<double> expected = exact_values(16, net);
  Game game = game_of(16, net);
  const ShapleyEstimate found = estimate_by_proxy(game, {2 + 2 * 5000, 0, {}});
  int covered = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found.values[i], expected[i], 5 * found.standard_errors[i]);
    covered += std::abs(found.values[i] - expected[i]) < 2 * found.standard_errors[i] ? 1 : 0;
    EXPECT_LT(found.standard_errors[i], 0.01);
  }
  EXPECT_GE(covered, 12);
}

TEST(ShapleyEstimators, TakeConstantsIdlePlayersAndFewDraws) {
  for (const Estimator estimate : kEstimators) {
    Game constant = game_of(15, [](const std::vector<double>&) { return 2.5; });
    for (const double value : estimate(constant, {100, 0, {}}).values) EXPECT_NEAR(value, 0, 1e-15);
    Game idle = game_of(15, [](const std::vector<double>& x) { return std::exp(x[0] + x[1] * x[2]); });
    const ShapleyEstimate found = estimate(idle, {400, 0, {}});
    for (size_t i = 3; i < 15; ++i) EXPECT_NEAR(found.values[i], 0, 4 * found.standard_errors[i] + 1e-9);
  }
  Game few = game_of(20, Net{20, 20});
  const ShapleyEstimate found = estimate_by_proxy(few, {40, 0, {}});  // fewer pairs than players
  EXPECT_NEAR(std::accumulate(found.values.begin(), found.values.end(), 0.0), found.full - found.empty, 1e-12);
  EXPECT_THROW(estimate_by_leverage(few, {36, 0, {}}), Error);
  Game broken = game_of(15, [](const std::vector<double>& x) { return x[3] > 0 ? NAN : 1.0; });
  EXPECT_TRUE(std::isnan(estimate_by_proxy(broken, {400, 0, {}}).values[0]));
}

}  // namespace
}  // namespace ascribe::core
