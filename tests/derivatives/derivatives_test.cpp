// Gradients, products with the Hessian and Hessians of small networks against differences, closed forms
// and one another; the ways in which directions are batched give the same numbers.
#include "derivatives/derivatives.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "derivatives/networks.h"
#include "passes/jets.h"
#include "support/errors.h"

namespace ascribe::core {
namespace {

Tensor moved(const Tensor& x, const Tensor& v, double t) {
  Tensor result = x;
  for (int64_t i = 0; i < x.size(); ++i) result.mutable_data<double>()[i] += t * v.at(i);
  return result;
}

double inner(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) sum += a.at(i) * b.at(i);
  return sum;
}

TEST(Derivatives, OfAQuadraticFormAreItsMatrix) {
  const int64_t n = 5;
  const Tensor a = random_tensor({n, n}, 1), x = random_tensor({1, n}, 2);
  Graph graph;
  Builder b(graph);
  const Value input = b.input("x", {Kind::real, {kBatch, n}});
  b.output("y", b.reduce("reduce_sum", b.mul(b.matmul(input, b.constant(a)), input), {1}, true));
  Derivatives f(graph, {});
  const Tensor hessian = f.hessian(std::array{x}), gradient = f.gradient(std::array{x});
  ASSERT_EQ(hessian.shape(), (Shape{n, n}));
  for (int64_t i = 0; i < n; ++i) {
    double expected = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double symmetric = a.at(i * n + j) + a.at(j * n + i);
      EXPECT_NEAR(hessian.at(i * n + j), symmetric, 1e-13);
      expected += symmetric * x.at(j);
    }
    EXPECT_NEAR(gradient.at(i), expected, 1e-12);
  }
}

TEST(Derivatives, AgreeWithFiniteDifferences) {
  const Tensor x = random_tensor({1, 7}, 2), v = random_tensor({1, 7}, 3);
  Derivatives f(sigmoid_network(7, 9), {0, 2});
  const double t = 1e-5;
  const auto value = [&](double s) { return f.value(std::array{moved(x, v, s)}); };
  const double slope = (value(t) - value(-t)) / (2 * t);
  EXPECT_NEAR(f.directional(std::array{x}, v)[0], slope, 1e-8 * (1 + std::abs(slope)));
  EXPECT_NEAR(inner(f.gradient(std::array{x}), v), slope, 1e-8 * (1 + std::abs(slope)));
  const Tensor product = f.hessian_product(std::array{x}, v);
  const Tensor up = f.gradient(std::array{moved(x, v, t)}), down = f.gradient(std::array{moved(x, v, -t)});
  for (int64_t i = 0; i < 7; ++i) EXPECT_NEAR(product.at(i), (up.at(i) - down.at(i)) / (2 * t), 1e-7);
}

TEST(Derivatives, TheHessianIsSymmetricAndItsRowsAndProductsAgree) {
  const Tensor x = random_tensor({1, 7}, 2), v = random_tensor({2, 7}, 3);
  Derivatives f(sigmoid_network(7, 9), {0, 1});
  const Tensor hessian = f.hessian(std::array{x});
  const Tensor block = f.hessian(std::array{x}, std::array<int64_t, 2>{4, 1});
  const Tensor products = f.hessian_product(std::array{x}, v);
  for (int64_t i = 0; i < 7; ++i) {
    double expected = 0;
    for (int64_t j = 0; j < 7; ++j) {
      EXPECT_NEAR(hessian.at(i * 7 + j), hessian.at(j * 7 + i), 1e-14);
      expected += hessian.at(i * 7 + j) * v.at(7 + j);
    }
    EXPECT_NEAR(products.at(7 + i), expected, 1e-13);
    EXPECT_NEAR(block.at(i), hessian.at(4 * 7 + i), 1e-14);
    EXPECT_NEAR(block.at(7 + i), hessian.at(7 + i), 1e-14);
  }
}

// Rows of the Hessian by unit vectors through the whole network.
Tensor rows_by_directions(Derivatives& f, std::span<const Tensor> point, std::span<const int64_t> elements) {
  const int64_t size = element_count(f.input_shape());
  Shape shape = f.input_shape();
  shape[0] = std::ssize(elements);
  Tensor units(DType::f64, shape);
  for (size_t row = 0; row < elements.size(); ++row) {
    units.mutable_data<double>()[row * static_cast<size_t>(size) + static_cast<size_t>(elements[row])] = 1;
  }
  return f.hessian_product(point, units).reshaped({std::ssize(elements), size});
}

// x [N, 2, 3, 3] -> a convolution into one number for each of four places, beside an input that stands still.
Graph network_behind_a_convolution() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2, 3, 3}}), y = b.input("y", {Kind::real, {kBatch, 4}});
  const Attributes window = {
      {"strides", ints({1, 1})}, {"dilations", ints({1, 1})}, {"pads", ints({0, 0, 0, 0})}, {"group", ints({1})}};
  const Value places = b.op("conv", {x, b.constant(random_tensor({1, 2, 2, 2}, 4))}, window);
  const Value hidden = b.op("tanh", {b.mul(b.reshape(places, {kBatch, 4}), y)});
  b.output("z", b.reduce("reduce_sum", b.mul(hidden, hidden), {1}, true));
  return graph;
}

TEST(Derivatives, BehindANarrowLayerTheHessianIsThatOfDirections) {
  const std::vector<int64_t> some = {6, 1, 8, 1, 0};
  std::vector<int64_t> all(18);
  std::iota(all.begin(), all.end(), 0);
  Derivatives dense(sigmoid_network(9, 4), {0, 1});
  const std::array x = {random_tensor({1, 9}, 2)};
  expect_near(dense.hessian(x), rows_by_directions(dense, x, std::span(all).first(9)), 1e-13);
  expect_near(dense.hessian(x, some), rows_by_directions(dense, x, some), 1e-13);
  Derivatives places(network_behind_a_convolution(), {}, {.real = DType::f64}, "x");
  const std::array point = {random_tensor({1, 2, 3, 3}, 7), random_tensor({1, 4}, 8)};
  expect_near(places.hessian(point), rows_by_directions(places, point, all), 1e-13);
}

TEST(Derivatives, BehindANarrowLayerAsManyDirectionsAreFollowedAsItHasNumbers) {
  Derivatives f(sigmoid_network(9, 4), {});
  const auto first_total = [&](std::span<const int64_t> elements) {
    int64_t first = 0;
    f.hessian(std::array{random_tensor({1, 9}, 2)}, elements, [&](std::string_view, int64_t, int64_t total) {
      if (first == 0) first = total;
    });
    return first;
  };
  EXPECT_EQ(first_total({}), 4);
  EXPECT_EQ(first_total(std::array<int64_t, 3>{0, 5, 7}), 3);  // fewer than the layer has
}

TEST(Derivatives, BehindALayerWithoutNumbersThereIsNoCurvature) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3}});
  const Value nothing = b.op("tanh", {b.matmul(x, b.constant(Tensor(DType::f64, {3, 0})))});
  b.output("y", b.reduce("reduce_sum", nothing, {1}, true));
  Derivatives f(graph, {});
  expect_near(f.hessian(std::array{random_tensor({1, 3}, 2)}), Tensor(DType::f64, {3, 3}), 0);
}

// [N, 6] -> [3N, 2]: rows that are not N cannot share a point, so every direction carries its own.
Graph network_with_merged_rows() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 6}});
  const Value parts = b.reshape(x, {Dim(0, 3), 2});
  const Value hidden = b.op("tanh", {b.matmul(parts, b.constant(random_tensor({2, 4}, 4)))});
  const Value joined = b.reshape(b.mul(hidden, hidden), {kBatch, 12});
  b.output("y", b.matmul(joined, b.constant(random_tensor({12, 1}, 5))));
  return graph;
}

// The same without rows: a model that is not batched.
Graph network_without_rows() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {1, 6}});
  const Value parts = b.reshape(x, {3, 2});
  const Value hidden = b.op("tanh", {b.matmul(parts, b.constant(random_tensor({2, 4}, 4)))});
  const Value joined = b.reshape(b.mul(hidden, hidden), {1, 12});
  b.output("y", b.matmul(joined, b.constant(random_tensor({12, 1}, 5))));
  return graph;
}

TEST(Derivatives, DoNotDependOnHowDirectionsAreBatched) {
  ASSERT_FALSE(can_share_point(network_with_merged_rows()));
  ASSERT_TRUE(can_share_point(sigmoid_network(6, 3)));
  const Tensor x = random_tensor({1, 6}, 2);
  Derivatives merged(network_with_merged_rows(), {}), alone(network_without_rows(), {});
  const Tensor hessian = merged.hessian(std::array{x});
  expect_near(hessian, alone.hessian(std::array{x}), 1e-14);
  double largest = 0;
  for (int64_t i = 0; i < hessian.size(); ++i) largest = std::max(largest, std::abs(hessian.at(i)));
  EXPECT_GT(largest, 0.1);
  const Tensor v = random_tensor({4, 6}, 3);
  const auto a = merged.taylor(std::array{x}, v, 6), c = alone.taylor(std::array{x}, v, 6);
  ASSERT_EQ(a.size(), 4U);
  for (size_t d = 0; d < 4; ++d) {
    for (size_t k = 0; k <= 6; ++k) EXPECT_NEAR(a[d][k], c[d][k], 1e-12);
  }
}

TEST(Derivatives, AMemoryBudgetCutsTheDirections) {
  const Tensor x = random_tensor({1, 7}, 2);
  Derivatives whole(sigmoid_network(7, 9), {}),
      cut(sigmoid_network(7, 9), {}, {.real = DType::f64, .rows_per_batch = 2});
  expect_near(cut.hessian(std::array{x}), whole.hessian(std::array{x}), 1e-14);
}

TEST(Derivatives, OneOfSeveralInputsMoves) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2}}), y = b.input("y", {Kind::real, {kBatch, 2}});
  b.output("z", b.reduce("reduce_sum", b.mul(b.mul(x, x), y), {1}, true));
  const std::array point = {Tensor::of<double>({1, 2}, {2.0, 3.0}), Tensor::of<double>({1, 2}, {5.0, 7.0})};
  Derivatives by_x(graph, {}, {.real = DType::f64}, "x"), by_y(graph, {}, {.real = DType::f64}, "y");
  expect_near(by_x.gradient(point), Tensor::of<double>({1, 2}, {20.0, 42.0}), 1e-13);
  expect_near(by_y.gradient(point), Tensor::of<double>({1, 2}, {4.0, 9.0}), 1e-13);
  expect_near(by_x.hessian(point), Tensor::of<double>({2, 2}, {10.0, 0.0, 0.0, 14.0}), 1e-13);
  expect_near(by_y.hessian(point), Tensor::of<double>({2, 2}, {0.0, 0.0, 0.0, 0.0}), 1e-13);
  expect_error(ErrorKind::argument, "say which one moves", [&] { Derivatives(graph, {}); });
}

TEST(Derivatives, ComplainOfWhatDoesNotFit) {
  Derivatives f(sigmoid_network(4, 3), {});
  const Tensor x(DType::f64, {1, 4});
  expect_error(ErrorKind::argument, "no such element", [] { Derivatives(sigmoid_network(4, 3), {0, 3}); });
  expect_error(ErrorKind::argument, "no such element", [&] { f.hessian(std::array{x}, std::array<int64_t, 1>{4}); });
  expect_error(ErrorKind::shape, "the point does not fit", [&] { f.hessian(std::array{Tensor(DType::f64, {2, 4})}); });
  expect_error(ErrorKind::shape, "the directions do not fit", [&] {
    f.directional(std::array{x}, Tensor(DType::f64, {1, 3}));
  });
  expect_error(ErrorKind::shape, "the point does not fit", [&] {
    f.directional(std::array{Tensor(DType::f64, {1, 3})}, x);
  });
}

}  // namespace
}  // namespace ascribe::core
