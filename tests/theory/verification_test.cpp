// Verification itself: sums over orders against listed terms, known radii of convergence, errors that vanish where the
// theory says so and do not where it does not.
#include "theory/verification.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/errors.h"
#include "support/small_networks.h"
#include "theory/full_rank_polynomial.h"
#include "theory/module_verification.h"
#include "theory/windows.h"

namespace ascribe::core {
namespace {

ExplainedModel in_double(const Graph& graph) { return ExplainedModel(graph, {.real = DType::f64}); }

Players image_players(const std::string& text) {
  return make_players({text, {1, 4, 4}, ImageShape{PixelLayout::chw, 1, 4, 4}, {}, nullptr});
}

Question question(uint64_t seed, const std::string& players) {
  return {{random_tensor({1, 1, 4, 4}, seed)}, 1, random_tensor({2, 1, 4, 4}, seed + 50), image_players(players)};
}

// c0 + sum c_i x_i + sum of products of linear forms, [N, 1, 4, 4] -> 3 numbers.
Graph quadratic() {
  Graph graph;
  SmallNetwork net(graph);
  Builder& b = net.b;
  const Value x = b.reshape(net.image(), {kBatch, 16});
  const Value products = b.mul(b.matmul(x, net.weight({16, 5})), b.matmul(x, net.weight({16, 5})));
  b.output("y", b.add(b.matmul(products, net.weight({5, 3})), net.dense(x, 16, 3)));
  return graph;
}

// ---- convergence ----

TEST(Convergence, ARealPoleIsFound) {
  std::vector<double> coefficients;
  for (int k = 0; k <= 20; ++k) coefficients.push_back(std::pow(2.5, -k));
  EXPECT_NEAR(radius_of_convergence(coefficients), 2.5, 1e-9);
}

// 1 / (1 - 2 t cos(a) / R + t^2 / R^2) has the coefficients sin((k + 1) a) / sin(a) R^-k: with dips.
TEST(Convergence, APairOfComplexPolesIsFoundInSpiteOfDips) {
  for (const double radius : {0.4, 0.9, 1.2, 3.0}) {
    for (const double angle : {0.3, 1.1, 1.57, 2.4}) {
      std::vector<double> coefficients;
      for (int k = 0; k <= 20; ++k) coefficients.push_back(std::sin((k + 1) * angle) / std::pow(radius, k));
      EXPECT_NEAR(radius_of_convergence(coefficients) / radius, 1, 0.1) << radius << " at " << angle;
    }
  }
}

TEST(Convergence, ASeriesThatEndsConvergesEverywhere) {
  const std::vector<double> ends = {3, -1, 2, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(std::isinf(radius_of_convergence(ends)));
  EXPECT_EQ(judge_series(ends, 0, 1, false), Series::converges);
  EXPECT_EQ(judge_series(ends, 0.5, 1, true), Series::kinked) << "it ends, but not at f(x)";
  EXPECT_EQ(judge_series(ends, 0.5, 1, false), Series::undecided) << "nor is it known why";
}

TEST(Convergence, GrowingCoefficientsDiverge) {
  EXPECT_EQ(judge_series(std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128, 256}, 0, 1, false), Series::diverges);
  EXPECT_EQ(judge_series(std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128, 256}, 0, 1, true), Series::diverges);
}

// Only every `step`-th order is there; the others are 0, or rounding.
TEST(Convergence, VanishingOrdersDoNotHideTheRadius) {
  for (const double radius : {0.003, 0.5, 0.8, 1.3, 2.0, 20.0}) {
    for (const size_t step : {1, 2, 3, 5}) {
      for (const double noise : {0.0, 1e-17}) {
        std::vector<double> coefficients;
        for (size_t k = 0; k <= 32; ++k) {
          const double size = std::pow(radius, -static_cast<double>(k));
          coefficients.push_back(k % step == step - 1 ? size : noise * size * (k % 7 < 3 ? 1 : -3));
        }
        EXPECT_NEAR(radius_of_convergence(coefficients) / radius, 1, 0.1) << radius << " every " << step;
        EXPECT_EQ(judge_radius(radius_of_convergence(coefficients)), radius < 1 ? Series::diverges : Series::converges);
      }
    }
  }
}

TEST(Convergence, NextToTheSingularityNothingIsDecided) {
  for (const double radius : {0.95, 1.0, 1.05}) {
    std::vector<double> coefficients;
    for (int k = 0; k <= 32; ++k) coefficients.push_back(std::pow(radius, -k));
    EXPECT_EQ(judge_series(coefficients, 0, 1, false), Series::undecided) << radius;
  }
}

TEST(Convergence, OfAConstantAndOfNothingIsCertain) {
  EXPECT_EQ(judge_series(std::vector<double>{3, 0, 0, 0, 0, 0}, 0, 3, false), Series::converges);
  EXPECT_EQ(judge_series(std::vector<double>{0, 0, 0, 0, 0, 0}, 0, 0, false), Series::converges);
}

// The poles of the sigmoid next to 0 lie at +- i pi.
TEST(Convergence, TheRadiusOfASigmoidNeuronIsTheDistanceOfItsPoles) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.op("sigmoid", {b.input("x", {Kind::real, {kBatch, 1}})}));
  ExplainedModel model = in_double(graph);
  OrderSums sums(model, 24);
  for (const double start : {0.0, 0.5, -2.0, 3.0}) {
    const Question one{{Tensor::of<double>({1, 1}, std::vector{start + 2})},
                       0,
                       Tensor::of<double>({1, 1}, std::vector{start}),
                       make_players({"elements", {1}, {}, {}, nullptr})};
    Coalitions everyone(1);
    everyone.add(uint64_t{1});
    const auto series = sums.coefficients(expansions_at_baselines(model, one)[0], everyone)[0];
    EXPECT_NEAR(radius_of_convergence(series) / (std::hypot(start, std::numbers::pi) / 2), 1, 0.1) << start;
  }
}

// ---- sums over orders against terms one by one ----

TEST(OrderSums, AgreeWithListedTermsForEveryRule) {
  ExplainedModel model = in_double(small_mlp("tanh"));
  const Question one = question(3, "grid:2x2");
  OrderSums sums(model, 6);
  AllocationContext context{.windows = {{0, 1}, {2, 3}}};
  const auto expansions = expansions_at_baselines(model, one);
  for (const char* name : {"occlusion", "occlusion_patch", "prediction_difference", "integrated_gradients",
                           "expected_gradients", "shapley"}) {
    for (const Expansion& at : expansions) {
      const ByOrder summed = running_sum({rule_by_order(name, sums, at, context, {})});
      const auto listed = allocate(allocation_rule(name), context, sums.enumerate(at, 6, 1000));
      EXPECT_LT(relative_error(listed, summed[6], summed[6]), 1e-10) << name;
    }
  }
  const Expansion at_x = expansion_at_input(model, one);
  const ByOrder slopes = running_sum({rule_by_order("gradient_x_input", sums, at_x, {}, {})});
  const auto listed = allocate(allocation_rule("gradient_x_input"), {}, sums.enumerate(at_x, 6, 1000));
  EXPECT_LT(relative_error(listed, slopes[6], slopes[6]), 1e-10);
}

TEST(OrderSums, TellTheRulesApart) {
  ExplainedModel model = in_double(small_mlp("tanh"));
  const Question one = question(3, "grid:2x2");
  OrderSums sums(model, 4);
  const Expansion at = expansions_at_baselines(model, one)[0];
  const ByOrder degrees = running_sum({rule_by_order("integrated_gradients", sums, at, {}, {})});
  const auto equally = allocate(allocation_rule("shapley"), {}, sums.enumerate(at, 4, 1000));
  EXPECT_GT(relative_error(equally, degrees[4], degrees[4]), 1e-3);
}

TEST(OrderSums, ElementsOfNobodyStayWhereTheyAre) {
  ExplainedModel model = in_double(quadratic());
  Question one = question(4, "grid:2x2");
  for (size_t i = 0; i < 5; ++i) one.players.owner[i] = -1;
  OrderSums sums(model, 2);
  const Expansion at = expansions_at_baselines(model, one)[0];
  Coalitions everyone(4);
  everyone.add(uint64_t{15});
  const auto series = sums.coefficients(at, everyone)[0];
  EXPECT_NEAR(series[0] + series[1] + series[2], model.values(one.point, std::array<int64_t, 1>{1})[0], 1e-11);
}

// ---- methods ----

VerificationOptions few(std::vector<double> sigmas) {
  VerificationOptions options;
  options.sigmas = std::move(sigmas);
  return options;
}

TEST(Verification, EverythingIsExactOnAPolynomial) {
  ExplainedModel model = in_double(quadratic());
  const std::vector<Question> questions = {question(1, "pixels"), question(2, "pixels")};
  const VerificationResult result = verify_methods(model, questions, few({0.03, 1}));
  ASSERT_EQ(result.sigmas[0].methods.size(), 7U);
  for (const SigmaResult& of_sigma : result.sigmas) {
    for (const FittingError& error : of_sigma.methods) {
      EXPECT_EQ(error.inside, 2) << error.method;
      for (const OrderError& order : error.orders) EXPECT_LT(order.inside.mean, 1e-10) << error.method;
    }
  }
}

// The Hessian is c_ij + c_ji; elimination finds as many pivots as there are pixels.
TEST(Verification, TheFullRankPolynomialHasFullRankAndIsExact) {
  const Graph graph = full_rank_polynomial(4, 3);
  Derivatives f(graph, {});
  const Tensor hessian = f.hessian(std::array{random_tensor({1, 1, 4, 4}, 1)});
  std::vector<double> m(hessian.data<double>().begin(), hessian.data<double>().end());
  double least = 1;
  for (size_t k = 0; k < 16; ++k) {
    size_t pivot = k;
    for (size_t i = k; i < 16; ++i) pivot = std::abs(m[i * 16 + k]) > std::abs(m[pivot * 16 + k]) ? i : pivot;
    for (size_t j = 0; j < 16; ++j) std::swap(m[k * 16 + j], m[pivot * 16 + j]);
    least = std::min(least, std::abs(m[k * 16 + k]));
    for (size_t i = k + 1; i < 16; ++i) {
      const double factor = m[i * 16 + k] / m[k * 16 + k];
      for (size_t j = k; j < 16; ++j) m[i * 16 + j] -= factor * m[k * 16 + j];
    }
  }
  EXPECT_GT(least, 1e-3);
  ExplainedModel model = in_double(graph);
  Question one = question(1, "pixels");
  one.target = 0;
  const VerificationResult result = verify_methods(model, std::vector{one}, few({0.1, 3}));
  for (const SigmaResult& of_sigma : result.sigmas) {
    for (const FittingError& error : of_sigma.methods) EXPECT_LT(error.orders[0].inside.mean, 1e-10) << error.method;
  }
}

// The random network has its poles at a distance of order 1, so sigma = 0.01 is well inside and 5 outside.
TEST(Verification, ErrorsFallWithTheOrderInsideTheRadiusAndDivergenceIsNoticed) {
  ExplainedModel model = in_double(small_mlp("sigmoid"));
  const std::vector<Question> questions = {question(1, "pixels"), question(2, "pixels"), question(3, "pixels")};
  const VerificationResult result = verify_methods(model, questions, few({0.05, 20}));
  for (const FittingError& error : result.sigmas[0].methods) {
    EXPECT_EQ(error.inside, 3) << error.method;
    EXPECT_LT(error.orders.back().inside.mean, 1e-6) << error.method;
    for (size_t k = 1; error.sums_a_series && k < error.orders.size(); ++k) {
      EXPECT_LT(error.orders[k].inside.mean, error.orders[k - 1].inside.mean) << error.method;
    }
  }
  for (const InputSeries& input : result.sigmas[1].inputs) EXPECT_EQ(input.series, Series::diverges) << input.radius;
  for (const FittingError& error : result.sigmas[1].methods) EXPECT_EQ(error.inside, error.sums_a_series ? 0 : 3);
}

TEST(Verification, WithFewPlayersTermsAreListedAndDividendsAreExactAtAnyDistance) {
  ExplainedModel model = in_double(small_mlp("sigmoid"));
  const std::vector<Question> questions = {question(1, "grid:2x2")};
  VerificationOptions options = few({0.05, 20});
  options.window = 3;  // cuts through cells; the next that fits is 4, which is all of the image
  const VerificationResult result = verify_methods(model, questions, options);
  EXPECT_EQ(result.notes.size(), 1U) << "occlusion_patch is left out";
  for (const SigmaResult& of_sigma : result.sigmas) {
    ASSERT_EQ(of_sigma.methods.size(), 6U);
    for (const FittingError& error : of_sigma.methods) {
      EXPECT_EQ(error.listed_order, 8);
      // Interpolation of terms of order 8 amplifies rounding by some thousands.
      EXPECT_LT(error.listed_difference, 1e-10) << error.method;
      EXPECT_EQ(error.dividends.has_value(), allocation_rule(error.method).depends_on_support_only) << error.method;
      if (error.dividends) {
        EXPECT_LT(*error.dividends, 1e-10) << error.method;
      }
    }
  }
}

TEST(Verification, KinksAreNotTakenForConvergence) {
  ExplainedModel model = in_double(small_mlp("relu"));
  const std::vector<Question> questions = {question(1, "pixels"), question(2, "pixels")};
  const VerificationResult result = verify_methods(model, questions, few({3}));
  for (const InputSeries& input : result.sigmas[0].inputs) EXPECT_EQ(input.series, Series::kinked);
}

// relu(x0 - x1 + 1/2) at x = 0: which of b, x and the two masked inputs lie on which side is known from b.
TEST(Verification, AnInputIsKinkedWhereSomeMaskedInputLiesBehindAKink) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2}});
  b.output("y", b.op("relu", {b.add(b.sub(b.slice(x, 1, 0, 1), b.slice(x, 1, 1, 1)), 0.5)}));
  ExplainedModel model = in_double(graph);
  std::vector<Question> questions;
  for (int i = 0; i < 40; ++i) {
    questions.push_back({{Tensor(DType::f64, {1, 2})},
                         0,
                         Tensor(DType::f64, {1, 2}),
                         make_players({"elements", {2}, {}, {}, nullptr})});
  }
  const VerificationResult result = verify_methods(model, questions, few({0.6}));
  int64_t hidden = 0, kinked = 0;
  for (size_t q = 0; q < questions.size(); ++q) {
    const Random noise(0, q);
    const double b0 = 0.6 * noise.normal(0), b1 = 0.6 * noise.normal(1);
    const auto active = [](double x0, double x1) { return x0 - x1 + 0.5 > 0; };
    const bool at_b = active(b0, b1), ends = at_b == active(0, 0);
    const bool all = ends && at_b == active(0, b1) && at_b == active(b0, 0);
    EXPECT_EQ(result.sigmas[0].inputs[q].series, all ? Series::converges : Series::kinked) << b0 << " " << b1;
    hidden += ends && !all ? 1 : 0;
    kinked += all ? 0 : 1;
  }
  EXPECT_GT(hidden, 2) << "cases that the ends of the path do not show";
  for (const FittingError& error : result.sigmas[0].methods) {
    if (!error.sums_a_series || error.method == "prediction_difference" || error.method == "expected_gradients")
      continue;
    EXPECT_EQ(error.inside, 40 - kinked) << error.method;
    EXPECT_EQ(error.series.kinked, kinked) << error.method;
    EXPECT_EQ(outcome(error), "");
    for (const OrderError& order : error.orders) EXPECT_LT(order.inside.mean, 1e-12) << error.method;
  }
}

TEST(Verification, TheOutcomeSaysWhyThereIsNoNumber) {
  FittingError error;
  error.series = {.kinked = 2};
  EXPECT_EQ(outcome(error), "kinks");
  error.series = {.kinked = 1, .undecided = 2};
  EXPECT_EQ(outcome(error), "kinks or not decided");
}

TEST(Verification, RefusesWhatMakesNoSense) {
  ExplainedModel model = in_double(quadratic());
  const std::vector<Question> questions = {question(1, "pixels")};
  VerificationOptions options;
  options.methods = {"lrp_epsilon"};
  expect_error(ErrorKind::argument, "expected one of gradient_x_input",
               [&] { verify_methods(model, questions, options); });
  options = few({-1});
  expect_error(ErrorKind::argument, "expected a number above 0", [&] { verify_methods(model, questions, options); });
  options = {};
  options.orders = {0};
  expect_error(ErrorKind::argument, "expected 1 to 32", [&] { verify_methods(model, questions, options); });
}

// ---- windows ----

TEST(Windows, AreSetsOfPlayersUnlessTheyCutThroughOne) {
  using Windows = std::vector<std::vector<int>>;
  EXPECT_EQ(*player_windows(image_players("grid:2x2"), 2, 2), (Windows{{0}, {1}, {2}, {3}}));
  EXPECT_FALSE(player_windows(image_players("grid:2x2"), 3, 3));
  EXPECT_EQ((*player_windows(image_players("pixels"), 2, 1))[1], (std::vector<int>{1, 2, 5, 6}));
  const Players row = make_players({"elements", {5}, {}, {}, nullptr});
  EXPECT_EQ(*player_windows(row, 2, 2), (Windows{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(fitting_window(image_players("pixels"), 2), 2);
  EXPECT_EQ(fitting_window(image_players("grid:2x2"), 2), std::nullopt) << "windows of one player, or of all";
  EXPECT_EQ(fitting_window(image_players("grid:4x4"), 1), 2);
  EXPECT_EQ(fitting_window(row, 2), 2) << "pairs are enough";
}

// ---- modules ----

TEST(Modules, LayerWiseRulesAreExactOnPolynomialNeurons) {
  for (const int power : {2, 3, 4, 5}) {
    const auto errors = verify_modules(random_polynomial_neurons(power, 5, 8, 1), {power}, 2000);
    ASSERT_EQ(errors.size(), 5U);
    for (const ModuleError& error : errors) {
      EXPECT_GT(error.cases, 4) << error.method;
      EXPECT_EQ(error.inside, error.cases) << error.method;
      EXPECT_LT(error.orders[0].inside.mean, 1e-10) << error.method << " power " << power;
      EXPECT_EQ(error.listed_order, power);
      EXPECT_LT(error.listed_difference, 1e-10) << error.method << " power " << power;
    }
  }
}

TEST(Modules, AnOrderTooLowIsNoticed) {
  for (const ModuleError& error : verify_modules(random_polynomial_neurons(4, 5, 8, 1), {3}, 2000)) {
    EXPECT_GT(error.orders[0].inside.mean, 1e-4) << error.method;
  }
}

TEST(Modules, SigmoidNeuronsOfANetworkConvergeInsideTheirRadius) {
  Graph graph = small_mlp("sigmoid");
  const auto layers = sigmoid_neurons(graph, random_tensor({4, 1, 4, 4}, 7), 16);
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].weights.shape(), (Shape{16, 8}));
  EXPECT_EQ(layers[1].weights.shape(), (Shape{8, 6}));
  EXPECT_EQ(layers[1].cases.size(), 16U);
  for (const ModuleError& error : verify_modules(layers[1], {2, 4, 8, 16}, 2000)) {
    ASSERT_GT(error.inside, 8) << error.method;
    EXPECT_LT(error.orders[3].inside.mean, 1e-4) << error.method;
    EXPECT_LT(error.orders[3].inside.mean, error.orders[1].inside.mean / 10) << error.method;
    EXPECT_LT(error.listed_difference, 1e-9) << error.method;
  }
}

TEST(Modules, NeuronsOfAConvolutionSeeItsWindow) {
  const auto layers = sigmoid_neurons(
      [] {
        Graph graph;
        SmallNetwork net(graph);
        const Value hidden = net.b.op("sigmoid", {net.conv(net.image(), 1, 3, 3, 1, 1, "first")});
        net.b.output("y", net.dense(net.b.reshape(hidden, {kBatch, 48}), 48, 2));
        return graph;
      }(),
      random_tensor({1, 1, 4, 4}, 7), 12);
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].weights.shape(), (Shape{9, 3}));
  EXPECT_EQ(layers[0].cases.size(), 12U) << "four places and three neurons";
  for (const ModuleError& error : verify_modules(layers[0], {8, 16}, 100)) {
    EXPECT_LT(error.orders[1].inside.mean, error.orders[0].inside.mean) << error.method;
  }
}

TEST(Modules, EpsilonRuleIsGradientTimesInputOnReluNetworks) {
  for (const Graph& graph : {small_mlp("relu"), small_cnn(), small_resnet()}) {
    ExplainedModel model = in_double(graph);
    const std::vector<Question> questions = {question(1, "pixels"), question(2, "pixels")};
    EXPECT_LT(epsilon_against_gradient(model, questions, 1e-12).mean, 1e-8);
    EXPECT_GT(epsilon_against_gradient(model, questions, 0.1).mean, 1e-4) << "a large epsilon must show";
  }
}

}  // namespace
}  // namespace ascribe::core
