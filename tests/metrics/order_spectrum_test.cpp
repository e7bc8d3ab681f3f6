#include <cmath>

#include <gtest/gtest.h>

#include "support/ask.h"
#include "support/errors.h"
#include "support/scoring.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

// The dividends of x1 + 2 x1 x2 - 3 x1 x2 x3 at (1, 2, 1, 5) from 0 are 1, 4 and -6.
Graph polynomial() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4}});
  const auto element = [&](int64_t i) {
    std::vector<double> column(4, 0.0);
    column[static_cast<size_t>(i)] = 1;
    return b.matmul(x, b.constant(Tensor::of<double>({4, 1}, column)));
  };
  const Value one = element(0), two = b.mul(one, element(1)), three = b.mul(two, element(2));
  b.output("y", b.add(b.add(one, b.mul(two, 2.0)), b.mul(three, -3.0)));
  return graph;
}

Question about(std::vector<double> x) {
  const auto count = std::ssize(x);
  return {{Tensor::of<double>({1, count}, x)}, 0, Tensor(DType::f64, {1, count}), element_players(count)};
}

std::vector<double> spectrum(const Graph& graph, const Question& question) {
  ExplainedModel model = double_model(graph);
  return metric_named("order_spectrum").profile(model, question, {});
}

TEST(OrderSpectrum, OfAPolynomialIsThatOfItsTerms) {
  const std::vector<double> shares = spectrum(polynomial(), about({1, 2, 1, 5}));
  ASSERT_EQ(shares.size(), 4U);
  EXPECT_NEAR(shares[0], 1.0 / 11, 1e-14);
  EXPECT_NEAR(shares[1], 4.0 / 11, 1e-14);
  EXPECT_NEAR(shares[2], 6.0 / 11, 1e-14);
  EXPECT_EQ(shares[3], 0);  // what rounding leaves there does not count
}

TEST(OrderSpectrum, OfNothingIsNothing) { EXPECT_TRUE(spectrum(polynomial(), about({0, 2, 1, 5})).empty()); }

TEST(OrderSpectrum, RefusesMorePlayersThanCanBeMasked) {
  Graph graph;
  Builder b(graph);
  b.output("y", b.matmul(b.input("x", {Kind::real, {kBatch, 17}}), b.constant(random_tensor({17, 1}, 1))));
  expect_error(ErrorKind::unsupported, "at most 16", [&] { spectrum(graph, about(std::vector<double>(17, 1.0))); });
}

TEST(OrderSpectrum, DoesNotRateMethods) {
  Scoring scoring(polynomial(), {about({1, 2, 1, 5})});
  scoring.add("gradient_x_input");
  expect_error(ErrorKind::unsupported, "about the model", [&] { scoring.score("order_spectrum"); });
}

}  // namespace
}  // namespace ascribe::core
