// SmoothGrad and SmoothGrad squared: means over gradients at noisy inputs.
#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/ask.h"
#include "support/slow_methods.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// f = sum of x^power
Graph sum_of_powers(int power) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3}});
  Value product = x;
  for (int i = 1; i < power; ++i) product = b.mul(product, x);
  b.output("y", b.reduce("reduce_sum", product, {1}, true));
  return graph;
}

// Draw r of element i is number r * 16 + i of the methods' stream.
std::vector<double> slow_mean_over_noise(const Graph& graph, const Question& question, double noise, int draws,
                                         uint64_t seed, double (*of_slope)(double)) {
  const Tensor& x = question.point[0];
  double least = x.at(0), most = x.at(0);
  for (int64_t i = 0; i < x.size(); ++i) least = std::min(least, x.at(i)), most = std::max(most, x.at(i));
  const Random random(seed, 81);
  std::vector<double> means(static_cast<size_t>(x.size()), 0.0);
  for (int r = 0; r < draws; ++r) {
    Tensor noisy = x;
    const auto to = noisy.mutable_data<double>();
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] += noise * (most - least) * random.normal(static_cast<size_t>(r) * to.size() + i);
    }
    const auto slopes = slow_gradient([&](const Tensor& at) { return slow_value(graph, at, question.target); }, noisy);
    for (size_t i = 0; i < means.size(); ++i) means[i] += of_slope(slopes[i]) / draws;
  }
  return means;
}

TEST(SmoothGrad, WithoutNoiseIsTheGradient) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 2);
  const Attribution still = ask("smooth_grad", small_vit(), question, {{"noise", "0"}, {"samples", "3"}});
  expect_values(still.values, ask("gradient", small_vit(), question).values, 1e-14);
  EXPECT_TRUE(still.exact);
}

// f = sum of x^3: the mean of 3 (x + s n)^2 is 3 x^2 + 3 s^2, s = 0.5 * (2 - -1).
TEST(SmoothGrad, OfACubeIsOffByTheVariance) {
  const Question question = ask_about(Tensor::of<double>({1, 3}, {2, -1, 0.5}));
  const Attribution a = ask("smooth_grad", sum_of_powers(3), question, {{"noise", "0.5"}, {"samples", "4000"}}, 1);
  const std::vector<double> expected = {12 + 6.75, 3 + 6.75, 0.75 + 6.75};
  ASSERT_EQ(a.standard_errors.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(a.values[i], expected[i], 4 * a.standard_errors[i]);
    EXPECT_LT(a.standard_errors[i], 0.5);
    EXPECT_GT(a.standard_errors[i], 0.05);
  }
  EXPECT_FALSE(a.exact);
}

TEST(SmoothGrad, TheCompiledGraphHasTheSameDraws) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 1);
  const Settings settings = {{"samples", "6"}};
  const auto run = ask("smooth_grad", small_cnn(), question, settings, 9).values;
  expect_values(values_of(ask_compiled("smooth_grad", small_cnn(), question, settings, 9)), run, 1e-13);
  EXPECT_NE(ask("smooth_grad", small_cnn(), question, settings, 10).values, run) << "another seed";
}

TEST(SmoothGrad, IsTheMeanOfSlowGradients) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 1);
  const auto expected = slow_mean_over_noise(small_mlp("sigmoid"), question, 0.3, 5, 9, [](double s) { return s; });
  const Attribution a = ask("smooth_grad", small_mlp("sigmoid"), question, {{"samples", "5"}, {"noise", "0.3"}}, 9);
  expect_values(a.values, expected, 1e-8);
}

// ---- squared ----

constexpr const char* kSquared = "smooth_grad_squared";

TEST(SmoothGradSquared, WithoutNoiseIsTheSquaredGradient) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 2);
  const Attribution still = ask(kSquared, small_vit(), question, {{"noise", "0"}, {"samples", "3"}});
  std::vector<double> squares = ask("gradient", small_vit(), question).values;
  for (double& value : squares) value *= value;
  expect_values(still.values, squares, 1e-14);
  EXPECT_TRUE(still.exact);
}

// f = sum of x^2: the mean of (2 (x + s n))^2 is 4 x^2 + 4 s^2, s = 0.5 * (2 - -1). The mean of slopes would be 2 x.
TEST(SmoothGradSquared, OfASquareIsOffByTheVariance) {
  const Question question = ask_about(Tensor::of<double>({1, 3}, {2, -1, 0.5}));
  const Attribution a = ask(kSquared, sum_of_powers(2), question, {{"noise", "0.5"}, {"samples", "4000"}}, 1);
  const std::vector<double> expected = {16 + 9, 4 + 9, 1 + 9};
  ASSERT_EQ(a.standard_errors.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(a.values[i], expected[i], 4 * a.standard_errors[i]);
    EXPECT_LT(a.standard_errors[i], 0.6);
    EXPECT_GT(a.standard_errors[i], 0.1);
  }
  EXPECT_FALSE(a.exact);
}

TEST(SmoothGradSquared, IsTheMeanOfSlowGradientsSquared) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 1);
  const auto expected = slow_mean_over_noise(small_mlp("sigmoid"), question, 0.3, 5, 9, [](double s) { return s * s; });
  const Attribution a = ask(kSquared, small_mlp("sigmoid"), question, {{"samples", "5"}, {"noise", "0.3"}}, 9);
  expect_values(a.values, expected, 1e-8);
}

// The square of a player's slope would be another number.
TEST(SmoothGradSquared, OfAPlayerIsTheSumOverItsElements) {
  Question question = ask_about(Tensor::of<double>({1, 3}, {2, -1, 0.5}));
  question.players.owner = {0, 0, 1};
  question.players.names.resize(2);
  const Attribution a = ask(kSquared, sum_of_powers(2), question, {{"noise", "0"}, {"samples", "1"}});
  expect_values(a.values, {16 + 4, 1}, 1e-14);
}

TEST(SmoothGradSquared, TheCompiledGraphHasTheSameDraws) {
  const Question question = ask_about(random_tensor({1, 1, 4, 4}, 5), {}, 1);
  const Settings settings = {{"samples", "6"}};
  const auto run = ask(kSquared, small_cnn(), question, settings, 9).values;
  expect_values(values_of(ask_compiled(kSquared, small_cnn(), question, settings, 9)), run, 1e-13);
  EXPECT_NE(ask(kSquared, small_cnn(), question, settings, 10).values, run) << "another seed";
}

}  // namespace
}  // namespace ascribe::core
