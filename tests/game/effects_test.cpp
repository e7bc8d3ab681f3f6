// Dividends and Taylor effects: Proposition 1 and Theorem 1 of the paper as identities between numbers.
#include "game/effects.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "derivatives/networks.h"
#include "game/moebius.h"
#include "game/taylor_effects.h"
#include "passes/select_element.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

MaskedModel elements_of(const Graph& graph, int64_t inputs, double scale = 1) {
  MaskedModel q;
  q.graph = select_element(graph, 0, 0);
  q.baselines = random_tensor({1, inputs}, 2);
  Tensor x = q.baselines;
  const Tensor step = random_tensor({1, inputs}, 3, scale);
  for (int64_t i = 0; i < inputs; ++i) {
    x.mutable_data<double>()[i] += step.at(i);
    q.players.owner.push_back(static_cast<int32_t>(i));
    q.players.names.push_back(fmt::format("x{}", i));
  }
  q.point = {x};
  q.options.real = DType::f64;
  return q;
}

TEST(Effects, SumToTheOutput) {
  Game game = masked_model_game(elements_of(sigmoid_network(8, 6), 8));
  const Effects effects = as_effects(exact_dividends(game, size_t{1} << 30));
  EXPECT_EQ(effects.effects.size(), 255U);
  EXPECT_EQ(effects.evaluations, 256);
  double sum = effects.baseline_output;
  for (const Effect& effect : effects.effects) sum += effect.value;
  EXPECT_NEAR(sum, game.full_value(), 1e-12);
  EXPECT_NEAR(effects.output, game.full_value(), 1e-12);
  EXPECT_LE(std::abs(effects.remainder), 1e-12);
}

TEST(Effects, OfOnePlayerAreItsOwnChange) {
  Game game = masked_model_game(elements_of(sigmoid_network(5, 6), 5));
  const Dividends dividends = exact_dividends(game, size_t{1} << 30);
  for (int64_t i = 0; i < 5; ++i) {
    const double change = game.at(std::array{i}) - game.empty_value();
    EXPECT_NEAR(dividends.values[size_t{1} << i], change, 1e-13);
  }
}

// H(S) = J(S) = sum of I(kappa) over the kappa with support S.
TEST(Effects, OfAPolynomialAreTheSumsOfItsTaylorTerms) {
  const MaskedModel q = elements_of(ProductOfForms(6, 3, 4).graph(), 6);
  Game game = masked_model_game(q);
  const Dividends dividends = exact_dividends(game, size_t{1} << 30);
  const TaylorEffects taylor = taylor_effects(q, {.order = 4});
  double largest = 0;
  for (const double value : dividends.values) largest = std::max(largest, std::abs(value));
  std::map<uint64_t, double> sums;
  for (const SupportSum& sum : sums_by_support(taylor)) {
    uint64_t set = 0;
    for (const int p : sum.support) set |= uint64_t{1} << p;
    sums[set] = sum.by_order.back();
  }
  for (uint64_t set = 1; set < dividends.values.size(); ++set) {
    EXPECT_NEAR(dividends.values[set], sums[set], 1e-10 * largest) << set;  // 0 beyond four players
  }
  EXPECT_LE(std::abs(taylor.effects.remainder), 1e-10 * largest);
  EXPECT_FALSE(taylor.piecewise_linear);
}

TEST(Effects, TaylorSumsApproachTheDividendsOfASmoothNetwork) {
  const MaskedModel q = elements_of(sigmoid_network(4, 6), 4, 0.3);
  Game game = masked_model_game(q);
  const Dividends dividends = exact_dividends(game, size_t{1} << 30);
  const TaylorEffects taylor = taylor_effects(q, {.order = 10});
  std::vector<double> error(11, 0);
  for (const SupportSum& sum : sums_by_support(taylor)) {
    uint64_t set = 0;
    for (const int p : sum.support) set |= uint64_t{1} << p;
    for (size_t k = 1; k <= 10; ++k) error[k] += std::abs(sum.by_order[k] - dividends.values[set]);
  }
  EXPECT_LT(error[4], 0.3 * error[2]);
  EXPECT_LT(error[10], 1e-3 * error[2]);
  EXPECT_EQ(taylor.series, Series::converges);
  EXPECT_GT(taylor.radius, 1.1);
}

// f(x) of inputs that are all players, from a baseline.
MaskedModel from_to(Graph graph, const std::vector<double>& b, const std::vector<double>& x) {
  const auto size = static_cast<int64_t>(x.size());
  MaskedModel q = elements_of(graph, size);
  q.baselines = Tensor::of<double>({1, size}, b);
  q.point = {Tensor::of<double>({1, size}, x)};
  return q;
}

// sigmoid(scale x0 x1 ... ), of the product of all inputs.
Graph sigmoid_of_product(int64_t inputs, double scale) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, inputs}});
  Value product = b.mul(b.slice(x, 1, 0, 1), scale);
  for (int64_t i = 1; i < inputs; ++i) product = b.mul(product, b.slice(x, 1, i, 1));
  b.output("y", b.op("sigmoid", {product}));
  return graph;
}

// At 0 the even terms of sigmoid(1000 x) vanish, so a comparison with the order before sees decay at every second
// order. Of the product of three inputs only the orders 3, 9, 15, ... are left.
TEST(Effects, DivergenceIsSeenWhereMostOrdersVanish) {
  for (const int64_t inputs : {1, 2, 3}) {
    for (const int order : {2, 3, 4}) {
      const std::vector<double> zero(static_cast<size_t>(inputs), 0), one(static_cast<size_t>(inputs), 1);
      const TaylorEffects far = taylor_effects(from_to(sigmoid_of_product(inputs, 1000), zero, one), {.order = order});
      EXPECT_EQ(far.series, Series::diverges) << inputs << " inputs, order " << order << ", radius " << far.radius;
      EXPECT_FALSE(far.piecewise_linear) << "nothing up to order two is not nothing beyond";
      const TaylorEffects near = taylor_effects(from_to(sigmoid_of_product(inputs, 0.5), zero, one), {.order = order});
      EXPECT_EQ(near.series, Series::converges) << inputs << " inputs, order " << order << ", radius " << near.radius;
    }
  }
  // The poles of the sigmoid lie at +- i pi: an input there is neither inside nor outside.
  EXPECT_EQ(taylor_effects(from_to(sigmoid_of_product(1, std::acos(-1.0)), {0}, {1}), {.order = 3}).series,
            Series::undecided);
}

TEST(Effects, NothingThatChangesConverges) {
  const TaylorEffects still = taylor_effects(from_to(sigmoid_of_product(2, 1000), {1, 1}, {1, 1}), {.order = 3});
  EXPECT_EQ(still.series, Series::converges);
  EXPECT_FALSE(still.piecewise_linear);
}

// relu(x0 - x1) from (1, 0) to (3, 2.5): both ends are on the linear side, and the series ends in f(x). But with the
// second input alone, 1 - 2.5, it is 0.
TEST(Effects, KinksBeforeMaskedInputsAreSeen) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2}});
  b.output("y", b.op("relu", {b.sub(b.slice(x, 1, 0, 1), b.slice(x, 1, 1, 1))}));
  const TaylorEffects crossed = taylor_effects(from_to(graph, {1, 0}, {3, 2.5}), {.order = 2});
  EXPECT_EQ(crossed.series, Series::kinked);
  EXPECT_TRUE(crossed.piecewise_linear);
  EXPECT_NEAR(crossed.effects.remainder, 0, 1e-12);
  const TaylorEffects within = taylor_effects(from_to(graph, {1, 0}, {3, 0.5}), {.order = 2});
  EXPECT_EQ(within.series, Series::converges);
  EXPECT_FALSE(within.piecewise_linear) << "no kink lies between, and the sums are right";
}

TEST(Effects, OfPiecewiseLinearNetworksHaveNoTaylorTermsBeyondOrderOne) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4}});
  const Value hidden = b.op("relu", {b.matmul(x, b.constant(random_tensor({4, 8}, 1)))});
  b.output("y", b.matmul(hidden, b.constant(random_tensor({8, 1}, 5))));
  const MaskedModel q = elements_of(graph, 4, 2);
  EXPECT_TRUE(taylor_effects(q, {.order = 3}).piecewise_linear);
  Game game = masked_model_game(q);
  double interactions = 0;
  for (const Effect& effect : as_effects(exact_dividends(game, size_t{1} << 30)).effects) {
    if (effect.support.size() > 1) interactions += std::abs(effect.value);
  }
  EXPECT_GT(interactions, 0.1);  // which is why J(S) is the thing to read
}

TEST(Effects, TruncatedAreTheExactOnesOfFewPlayers) {
  const MaskedModel q = elements_of(sigmoid_network(7, 6), 7);
  Game game = masked_model_game(q), again = masked_model_game(q);
  const Dividends exact = exact_dividends(game, size_t{1} << 30);
  const Effects some = truncated_effects(again, 3, 1000);
  ASSERT_EQ(some.effects.size(), 7U + 21U + 35U);
  EXPECT_EQ(some.evaluations, 1 + 7 + 21 + 35 + 1);
  double sum = 0;
  for (const Effect& effect : some.effects) {
    uint64_t set = 0;
    for (const int p : effect.support) set |= uint64_t{1} << p;
    EXPECT_NEAR(effect.value, exact.values[set], 1e-12);
    sum += effect.value;
  }
  EXPECT_NEAR(some.remainder, some.output - some.baseline_output - sum, 1e-14);
  EXPECT_GT(std::abs(some.remainder), 1e-9);
}

TEST(Effects, TooManyPlayersAreRefusedWithTheCost) {
  Game many(40, [](const Coalitions&, std::span<double>, const Progress&) {});
  expect_error(ErrorKind::argument, "40 players have 1.1e+12 coalitions", [&] { exact_dividends(many, 1 << 30); });
  Game some(24, [](const Coalitions&, std::span<double>, const Progress&) {});
  expect_error(ErrorKind::argument, "take 0.25 GiB", [&] { exact_dividends(some, 1 << 20); });
  Game pixels(784, [](const Coalitions&, std::span<double>, const Progress&) {});
  expect_error(ErrorKind::argument, "take 8.032e+07 evaluations", [&] { truncated_effects(pixels, 3, 1000000); });
}

TEST(Effects, AreSharedOutByOrder) {
  Effects effects;
  effects.effects = {{{0}, {}, 2.0}, {{1}, {}, -1.0}, {{0, 1}, {}, 0.5}};
  const auto shares = shares_by_order(effects);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].count, 2);
  EXPECT_DOUBLE_EQ(shares[0].sum, 1.0);
  EXPECT_DOUBLE_EQ(shares[0].absolute, 3.0);
  EXPECT_DOUBLE_EQ(shares[1].sum, 0.5);
}

}  // namespace
}  // namespace ascribe::core
