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

// Rows of signs for six players, the last one everyone's.
std::vector<double> some_rows(uint64_t count) {
  const Random random(5);
  std::vector<double> rows;
  for (uint64_t row = 0; row < count; ++row) {
    for (uint64_t p = 0; p < 6; ++p) rows.push_back(random.below(row * 10 + p, 2) == 0 ? -1 : 1);
  }
  rows.insert(rows.end(), 6, 1.0);
  return rows;
}

std::vector<double> some_values(uint64_t count) {
  std::vector<double> y;
  for (uint64_t row = 0; row < count; ++row) y.push_back(Random(5).normal(row));
  return y;
}

// The part of the expected function that is of these players: its mean over all signs, times their product.
double coefficient(const OddProcess& process, const std::vector<int64_t>& members) {
  double sum = 0;
  for (uint64_t set = 0; set < 64; ++set) {
    std::vector<double> signs;
    for (int64_t p = 0; p < 6; ++p) signs.push_back((set >> p & 1) != 0 ? 1 : -1);
    double product = process.at(signs)[0] / 64;
    for (const int64_t p : members) product *= signs[static_cast<size_t>(p)];
    sum += product;
  }
  return sum;
}

const std::vector<double> kSomeWeights = {0.1, 0.3, 0.05, 0.25, 0.2, 0.1};

TEST(OddProcess, KnowsTheShapleyValuesOfSetsThatVaryOnTheirOwn) {
  const std::vector<OddSet> sets = {{{1, 3, 4}, 0.4}, {{0, 1, 2, 4, 5}, 2.0}};
  for (const double steepness : {0.0, 1.5}) {
    const OddProcess process({kSomeWeights, steepness, 0.01, true, sets}, some_rows(12), some_values(13));
    ASSERT_TRUE(process.solved());
    const auto expected = [&](const std::vector<double>& x) {
      std::vector<double> signs;
      for (const double one : x) signs.push_back(2 * one - 1);
      return process.at(signs)[0];
    };
    const std::vector<double> reference = exact_values(6, expected), found = process.shapley().values;
    for (size_t i = 0; i < reference.size(); ++i) EXPECT_NEAR(found[i], reference[i], 1e-9);
    EXPECT_GT(std::abs(coefficient(process, sets[1].members)), 0.01);
  }
}

// Beside an orders' process that is next to nothing, a set of five and what y(N) tells of it.
TEST(OddProcess, HasTheVarianceOfSetsThatVaryOnTheirOwn) {
  const std::vector<double> w(6, 1.0 / 6);
  const OddKernel plain{w, 2, 1e12, false}, more{w, 2, 1e12, false, {{{0, 1, 2, 3, 4}, 5.0}}};
  const std::vector<double> rows = some_rows(1);
  const auto before = OddProcess(plain, rows, {0, 0}).shapley().variances;
  const auto after = OddProcess(more, rows, {0, 0}).shapley().variances;
  // Of one the variance is a, of all six together 1 + 5; everyone's y is known.
  const double with_full = 1.0 / 3;  // a sixth of the Shapley values' sum, which is 2 y(N)
  for (size_t i = 0; i < 6; ++i) {
    const double prior = before[i] + with_full * with_full, own = i < 5 ? 0.4 : 0;
    const double expected = prior + own * own * 5 - (with_full + own * 5) * (with_full + own * 5) / 6;
    EXPECT_NEAR(after[i], expected, 1e-6) << i;
  }
}

TEST(OddProcess, KnowsHowStrongPlayersAreInSetsOfThree) {
  for (const double steepness : {0.0, 1.5}) {
    const OddProcess process({kSomeWeights, steepness, 0.01, true}, some_rows(12), some_values(13));
    const std::vector<double> found = process.strength_in_threes();
    std::vector<double> expected(6, 0.0);
    for (int64_t i = 0; i < 6; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        for (int64_t k = 0; k < j; ++k) {
          const double square = std::pow(coefficient(process, {i, j, k}), 2);
          for (const int64_t p : {i, j, k}) expected[static_cast<size_t>(p)] += square;
        }
      }
    }
    // Up to a factor that all of them have.
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i] / found[0], expected[i] / expected[0], 1e-8) << steepness;
  }
}

TEST(OddProcess, IsSurprisedByTheSetThatDrawsAreMadeOf) {
  const std::vector<std::vector<int64_t>> sets = {{0, 1, 2}, {1, 3, 5}, {0, 1, 2, 3, 4}, {2, 3, 4}};
  const std::vector<double> rows = some_rows(30);
  std::vector<double> y;
  for (size_t row = 0; row < rows.size(); row += 6)
    y.push_back(rows[row] + 0.5 * rows[row] * rows[row + 1] * rows[row + 2] * rows[row + 3] * rows[row + 4]);
  OddKernel kernel{kSomeWeights, 0, 1e-3, true};
  const std::vector<double> surprises = OddProcess(kernel, rows, y).surprises(sets);
  EXPECT_EQ(std::max_element(surprises.begin(), surprises.end()) - surprises.begin(), 2);
  kernel.sets = {{sets[2], 0.1}, {sets[1], 0.1}};
  for (int step = 0; step < 3; ++step) {
    const OddProcess process(kernel, rows, y);
    const std::vector<OddSet> likelier = process.likelier_sets();
    OddKernel next = kernel;
    next.sets = likelier;
    EXPECT_GE(OddProcess(next, rows, y).log_likelihood(), process.log_likelihood());
    kernel.sets = likelier;
  }
  EXPECT_GT(kernel.sets[0].variance, 10 * kernel.sets[1].variance);
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

TEST(ShapleyEstimators, ProxyFindsTheFewSetsOfFiveThatTreesHave) {
  const auto f = [](const std::vector<double>& x) {
    double sum = 0.3 * x[0] * x[2] * x[4] * x[6] * x[8] - 0.2 * x[1] * x[2] * x[3] * x[5] * x[9];
    for (size_t i = 0; i < x.size(); ++i)
      sum += (static_cast<double>(i) - 5) * x[i] + x[i] * x[(i + 1) % 12] * x[(i + 5) % 12];
    return sum;
  };
  const std::vector<double> expected = exact_values(12, f);
  Game game = game_of(12, f);
  const ShapleyEstimate found = estimate_by_proxy(game, {1002, 5, {}});  // 500 of 2047 pairs, 1012 sets of up to five
  EXPECT_LT(squared_error(found.values, expected), 1e-10);               // without sets 4e-5
}

// Of 30 players 22 do nothing but on their own, which slopes do not show.
TEST(ShapleyEstimators, ProxyLearnsWhoHasToDoWithOthers) {
  const Net net{30, 8, 1.0};
  const auto f = [&](const std::vector<double>& x) {
    double sum = net(x);
    for (size_t i = 8; i < x.size(); ++i) sum += x[i];
    return sum;
  };
  const std::vector<double> alone = exact_values(8, Net{8, 8, 1.0});
  Game game = game_of(30, f);
  const ShapleyEstimate found = estimate_by_proxy(game, {2002, 5, {}});
  double error = 0;
  for (size_t i = 0; i < 30; ++i) error += std::pow(found.values[i] - (i < 8 ? alone[i] : 1), 2);
  EXPECT_LT(error, 1e-8);  // without learning 4e-3
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
      const ShapleyEstimate one = estimate(game, {1402, 9, {}});
      found.push_back(one.values);
      found.push_back(one.standard_errors);
    }
    EXPECT_EQ(found[0], found[2]);
    EXPECT_EQ(found[1], found[3]);
    Game game = game_of(40, Net{40, 40});
    EXPECT_NE(estimate(game, {1402, 10, {}}).values, found[0]);
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
