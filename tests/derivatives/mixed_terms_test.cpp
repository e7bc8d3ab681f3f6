// Taylor terms against polynomials multiplied out by hand, against each other, and on a bundled network.
#include "derivatives/mixed_terms.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "derivatives/networks.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "passes/gradient.h"
#include "passes/select_element.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

using Polynomial = std::map<std::vector<int>, double>;

Polynomial times(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (const auto& [left, x] : a) {
    for (const auto& [right, y] : b) {
      std::vector<int> degrees = left;
      for (size_t i = 0; i < degrees.size(); ++i) degrees[i] += right[i];
      product[degrees] += x * y;
    }
  }
  return product;
}

// f(b + sum of t_p D_p) multiplied out, D_p = step[p] e_p.
Polynomial multiplied_out(const ProductOfForms& f, const Tensor& b, const std::vector<double>& step) {
  Polynomial sum;
  for (int64_t r = 0; r < f.summands; ++r) {
    Polynomial product = {{std::vector<int>(step.size(), 0), 1.0}};
    for (int q = 0; q < f.degree; ++q) {
      Polynomial form;
      double constant = f.offsets[q].at(r);
      for (int64_t i = 0; i < f.inputs; ++i) {
        const double slope = f.slopes[q].at(i * f.summands + r);
        constant += slope * b.at(i);
        std::vector<int> degrees(step.size(), 0);
        degrees[i] = 1;
        form[degrees] = slope * step[i];
      }
      form[std::vector<int>(step.size(), 0)] = constant;
      product = times(product, form);
    }
    for (const auto& [degrees, value] : product) sum[degrees] += value;
  }
  return sum;
}

Tensor diagonal(const std::vector<double>& entries) {
  const auto n = static_cast<int64_t>(entries.size());
  Tensor matrix(DType::f64, {n, n});
  for (int64_t i = 0; i < n; ++i) matrix.mutable_data<double>()[i * n + i] = entries[i];
  return matrix;
}

TEST(MixedTerms, RecoverEveryTermOfAPolynomialOfOrder4With8Players) {
  const ProductOfForms f(8, 3, 4);
  const Tensor b = random_tensor({1, 8}, 7);
  const std::vector<double> step = values_of(random_tensor({8}, 8));
  const Polynomial expected = multiplied_out(f, b, step);
  Derivatives derivatives(f.graph(), {});
  const MixedTerms terms = mixed_terms(derivatives, std::array{b}, diagonal(step), {.order = 4});
  ASSERT_EQ(terms.terms.size(), 494U);
  ASSERT_EQ(expected.size(), 495U);
  double largest = 0, error = 0;
  for (const auto& [degrees, value] : expected) largest = std::max(largest, std::abs(value));
  for (const MixedTerm& term : terms.terms) error = std::max(error, std::abs(term.value - expected.at(term.degrees)));
  EXPECT_LE(error, 1e-10 * largest);
  EXPECT_NEAR(terms.constant, expected.at(std::vector<int>(8, 0)), 1e-12 * largest);
  EXPECT_LE(std::abs(terms.remainder), 1e-10 * largest);  // nothing beyond the polynomial's own order
  for (const Conditioning& order : terms.orders) {
    EXPECT_LE(std::abs(order.check), 1e-10 * largest);
    EXPECT_LE(order.error_bound, 1e-10 * largest) << "order " << order.order;
    EXPECT_GE(order.amplification, 1);
  }
}

TEST(MixedTerms, PlayersMayOwnSeveralElements) {
  const ProductOfForms f(6, 2, 3);
  const Tensor b = random_tensor({1, 6}, 7);
  const std::vector<double> step = values_of(random_tensor({6}, 8));
  Tensor players(DType::f64, {2, 6});  // elements 0..2 and 3..5
  for (int i = 0; i < 6; ++i) players.mutable_data<double>()[(i / 3) * 6 + i] = step[i];
  std::map<std::vector<int>, double> expected;
  for (const auto& [degrees, value] : multiplied_out(f, b, step)) {
    expected[{degrees[0] + degrees[1] + degrees[2], degrees[3] + degrees[4] + degrees[5]}] += value;
  }
  Derivatives derivatives(f.graph(), {});
  for (const MixedTerm& term : mixed_terms(derivatives, std::array{b}, players, {.order = 3}).terms) {
    EXPECT_NEAR(term.value, expected.at(term.degrees), 1e-11);
  }
}

// k I(k) summed over the terms of order |k| is D_i times the coefficient of order |k| - 1 of d f / d x_i along D:
// what the gradient graph's jets give, by another road.
TEST(MixedTerms, AgreeWithJetsOfTheGradient) {
  const Graph graph = sigmoid_network(4, 6);
  const Tensor b = random_tensor({1, 4}, 7);
  const Tensor step = random_tensor({1, 4}, 8, 0.3);
  Derivatives derivatives(graph, {0, 1});
  const MixedTerms terms = mixed_terms(derivatives, std::array{b}, diagonal(values_of(step)), {.order = 5});

  Gradient gradient_graph = gradient(select_element(graph, 0, 1));
  Taylor jets(gradient_graph.graph, 4, {.real = DType::f64}, {"x"});
  const Tensor seed = Tensor::of<double>({1}, {1.0});
  const auto coefficients = jets.along(std::array{b, seed}, std::array{step})[1];
  for (int order = 1; order <= 5; ++order) {
    for (int i = 0; i < 4; ++i) {
      double weighted = 0;
      for (const MixedTerm& term : terms.terms) {
        int sum = 0;
        for (const int degree : term.degrees) sum += degree;
        if (sum == order) weighted += term.degrees[i] * term.value;
      }
      EXPECT_NEAR(weighted, step.at(i) * coefficients[order - 1].at(i), 1e-11) << "order " << order << " input " << i;
    }
  }
}

TEST(MixedTerms, TellTheirCostBeforeTheyStart) {
  const TermCost cost = cost_of_terms(8, 4);
  EXPECT_EQ(cost.terms, 494);
  EXPECT_EQ(cost.directions, 331);
  EXPECT_EQ(cost.passes, 331 * 5);
  EXPECT_EQ(cost_of_terms(784, 1).terms, 784);
  EXPECT_EQ(cost_of_terms(10000, 60).terms, std::numeric_limits<int64_t>::max());
  const TermCost of_any_order = cost_of_terms(3, std::numeric_limits<int>::max());
  EXPECT_EQ(of_any_order.directions, 2305843010287435777);  // C(2^31 + 1, 2) and one
  EXPECT_EQ(of_any_order.passes, std::numeric_limits<int64_t>::max());
  Derivatives derivatives(sigmoid_network(4, 3), {});
  expect_error(ErrorKind::argument, "order 30 of 4 players has 46375 terms", [&] {
    mixed_terms(derivatives, std::array{Tensor(DType::f64, {1, 4})}, diagonal({1, 1, 1, 1}),
                {.order = 30, .most_terms = 1000});
  });
}

// Inside the radius of convergence the sum of all orders is f(x); the rest of every order is printed.
TEST(Taylor, TheSumOfOrdersConvergesOnTheBundledSigmoidNetwork) {
  const Graph graph = canonicalize(import_model(std::string(ASCRIBE_SOURCE_DIR) + "/models/sigmoid_mlp.onnx").graph);
  constexpr int kOrder = 16;
  const Shape shape = at(graph[graph.inputs[0].value].type.shape, 1);
  Tensor b(DType::f64, shape);
  const Random random(11);
  for (int64_t i = 0; i < b.size(); ++i) b.mutable_data<double>()[i] = random.uniform(i);
  Derivatives derivatives(graph, {0, 3});
  for (const double sigma : {0.01, 0.03, 0.1, 0.5}) {
    Tensor step = random_tensor(shape, 12, sigma), x = b;
    for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<double>()[i] += step.at(i);
    const auto coefficients = derivatives.taylor(std::array{b}, step, kOrder)[0];
    const double exact = derivatives.value(std::array{x});
    double sum = 0;
    std::vector<double> remainders;
    for (const double coefficient : coefficients) {
      sum += coefficient;
      remainders.push_back(std::abs(exact - sum));
    }
    std::printf("sigma %.2f: |f(x) - sum of orders <= K|  K=1 %.1e  K=2 %.1e  K=4 %.1e  K=8 %.1e  K=16 %.1e\n", sigma,
                remainders[1], remainders[2], remainders[4], remainders[8], remainders[16]);
    if (sigma > 0.03) continue;  // beyond the radius of convergence, or near it
    EXPECT_LE(remainders[kOrder], 1e-10 * std::abs(exact)) << sigma;
    EXPECT_LT(remainders[8], remainders[4]) << sigma;
  }
}

}  // namespace
}  // namespace ascribe::core
