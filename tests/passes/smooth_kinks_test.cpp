// Softplus in the place of kinks: near the network, without kinks, and nearer as the temperature grows.
#include "passes/smooth_kinks.h"

#include <cmath>

#include <gtest/gtest.h>

#include "passes/choices.h"
#include "passes/jets.h"
#include "support/errors.h"
#include "support/interpret.h"
#include "support/small_networks.h"

namespace ascribe::core {
namespace {

Attributes pool(std::vector<int64_t> kernel, std::vector<int64_t> strides, std::vector<int64_t> pads,
                std::vector<int64_t> dilations, int64_t ceil) {
  return {{"kernel", ints(kernel)},
          {"strides", ints(strides)},
          {"pads", ints(pads)},
          {"dilations", ints(dilations)},
          {"ceil_mode", ints({ceil})}};
}

// One operation on [N, 1, 5, 5], with a second operand where it takes two.
Graph operation(const std::string& op, const Attributes& attributes = {}) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 1, 5, 5}});
  std::vector<Value> operands = {x};
  if (op_named(op).min_inputs == 2) operands.push_back(b.constant(random_tensor({1, 1, 5, 5}, 3)));
  b.output("y", b.op(op, operands, attributes));
  return graph;
}

double largest_difference(const Graph& a, const Graph& b, const Tensor& x) {
  const Tensor left = interpret(a, {{"x", x}}, x.shape()[0])[0], right = interpret(b, {{"x", x}}, x.shape()[0])[0];
  EXPECT_EQ(left.shape(), right.shape());
  double most = 0;
  for (int64_t i = 0; i < left.size(); ++i) most = std::max(most, std::abs(left.at(i) - right.at(i)));
  return most;
}

std::vector<Graph> kinked_operations() {
  const Attributes bounds{{"min", reals({-0.5})}, {"max", reals({0.5})}};
  const Attributes below{{"min", reals({0})}, {"max", reals({INFINITY})}};
  const Attributes above{{"min", reals({-INFINITY})}, {"max", reals({0.2})}};
  const Attributes axes{{"axes", ints({2, 3})}, {"keepdims", ints({0})}};
  return {operation("relu"),
          operation("leaky_relu", {{"alpha", reals({0.2})}}),
          operation("clip", bounds),
          operation("clip", below),
          operation("clip", above),
          operation("abs"),
          operation("maximum"),
          operation("minimum"),
          operation("elu", {{"alpha", reals({1})}}),
          operation("hard_swish"),
          operation("reduce_max", axes),
          operation("reduce_min", axes),
          operation("max_pool", pool({2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}, 0)),
          operation("max_pool", pool({2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}, 1)),
          operation("max_pool", pool({3, 3}, {2, 1}, {1, 1, 1, 1}, {1, 1}, 0)),
          operation("max_pool", pool({2, 3}, {1, 2}, {0, 1, 1, 2}, {2, 1}, 1))};
}

// s(z) - max(z, 0) is at most log(2) / T, and log-sum-exp of n numbers at most log(n) / T above the largest.
TEST(SmoothKinks, EveryOperationIsNearItsKinkedOne) {
  const Tensor x = random_tensor({2, 1, 5, 5}, 1);
  for (const Graph& graph : kinked_operations()) {
    const std::string& name = graph[graph.outputs[0].value].op->name;
    for (const double temperature : {2.0, 20.0, 2000.0}) {
      const Smoothed smoothed = smooth_kinks(graph, temperature);
      EXPECT_GE(smoothed.replaced, 1) << name;
      EXPECT_TRUE(smoothed.left.empty()) << name << ": " << smoothed.left[0];
      EXPECT_LE(largest_difference(graph, smoothed.graph, x), std::log(25.0) / temperature) << name;
    }
    EXPECT_GT(largest_difference(graph, smooth_kinks(graph, 2).graph, x), 1e-3) << name << " at a low temperature";
  }
}

TEST(SmoothKinks, WholeNetworksApproachTheKinkedOneLikeOneOverT) {
  const Tensor x = random_tensor({3, 1, 4, 4}, 5);
  for (const Graph& graph : {small_mlp(), small_cnn(), small_resnet()}) {
    const double at_100 = largest_difference(graph, smooth_kinks(graph, 100).graph, x);
    const double at_1000 = largest_difference(graph, smooth_kinks(graph, 1000).graph, x);
    EXPECT_LT(at_100, 0.1);
    EXPECT_LT(at_1000, at_100 / 5);
    EXPECT_TRUE(has_kinks(graph));
    EXPECT_FALSE(has_kinks(smooth_kinks(graph, 100).graph));
  }
}

TEST(SmoothKinks, TheNetworkHasTaylorTermsBeyondOrderOne) {
  const Graph made = jets(smooth_kinks(small_mlp(), 3).graph, {.order = 3});
  const auto outputs =
      interpret(made, {{"x", random_tensor({1, 1, 4, 4}, 1)}, {"v.x", random_tensor({1, 1, 4, 4}, 2)}}, 1);
  for (const size_t k : {2, 3}) EXPECT_GT(std::abs(outputs[k].at(0)), 1e-6) << k;
}

TEST(SmoothKinks, WhatIsSmoothStaysAndWhatCannotBeSmoothedIsNamed) {
  EXPECT_EQ(smooth_kinks(small_mlp("tanh"), 5).replaced, 0);
  EXPECT_EQ(smooth_kinks(small_vit(), 5).replaced, 0);
  EXPECT_TRUE(smooth_kinks(small_vit(), 5).left.empty());
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2}});
  b.set_name("step");
  b.output("y", b.mul(x, b.op("floor", {x})));
  const Smoothed smoothed = smooth_kinks(graph, 5);
  ASSERT_EQ(smoothed.left.size(), 1U);
  EXPECT_NE(smoothed.left[0].find("floor"), std::string::npos) << smoothed.left[0];
}

TEST(SmoothKinks, RefusesATemperatureThatIsNone) {
  for (const double temperature : {0.0, -1.0, std::nan(""), static_cast<double>(INFINITY)}) {
    expect_error(ErrorKind::argument, "expected a temperature above 0",
                 [&] { smooth_kinks(small_mlp(), temperature); });
  }
}

}  // namespace
}  // namespace ascribe::core
