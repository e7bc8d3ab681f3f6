// The conventions at kinks (docs/theory/kinks.md), for gradients and jets alike.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "passes/gradient.h"
#include "passes/jets.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// One operation on real operands of these values, all of them inputs "x0", "x1", ...
Graph single(const std::string& op, const std::vector<Tensor>& operands, const Attributes& attributes) {
  Graph graph;
  Builder b(graph);
  std::vector<Value> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    inputs.push_back(b.input(fmt::format("x{}", i), {Kind::real, to_dims(operands[i].shape())}));
  }
  b.output("y", b.op(op, inputs, attributes));
  return graph;
}

Tensor row(const std::vector<double>& values) {
  return Tensor::of<double>({static_cast<int64_t>(values.size())}, values);
}

// The gradient of the sum of the outputs with respect to each operand.
std::vector<std::vector<double>> gradients(const std::string& op, const std::vector<Tensor>& operands,
                                           const Attributes& attributes = {}) {
  const Graph made = gradient(single(op, operands, attributes)).graph;
  std::map<std::string, Tensor> inputs;
  for (size_t i = 0; i < operands.size(); ++i) inputs[fmt::format("x{}", i)] = operands[i];
  const Shape shape = at(made[made.inputs.back().value].type.shape, 1);
  inputs["seed"] = Tensor::of<double>(shape, std::vector<double>(static_cast<size_t>(element_count(shape)), 1.0));
  const auto outputs = interpret(made, inputs, 1);
  std::vector<std::vector<double>> result;
  for (size_t i = 1; i < outputs.size(); ++i) result.push_back(values_of(outputs[i]));
  return result;
}

// Coefficient 1 along the direction of ones.
std::vector<double> slopes(const std::string& op, const std::vector<Tensor>& operands,
                           const Attributes& attributes = {}) {
  const Graph made = jets(single(op, operands, attributes), {.order = 1});
  std::map<std::string, Tensor> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    inputs[fmt::format("x{}", i)] = operands[i];
    inputs[fmt::format("v.x{}", i)] =
        Tensor::of<double>(operands[i].shape(), std::vector<double>(static_cast<size_t>(operands[i].size()), 1.0));
  }
  return values_of(interpret(made, inputs, 1)[1]);
}

using Row = std::vector<double>;

TEST(Kinks, ReluAtZeroHasDerivativeZero) {
  EXPECT_EQ(gradients("relu", {row({-1, 0, 2})})[0], (Row{0, 0, 1}));
  EXPECT_EQ(slopes("relu", {row({-1, 0, 2})}), (Row{0, 0, 1}));
}

TEST(Kinks, LeakyReluAtZeroHasTheSlopeOfTheLowerPiece) {
  const Attributes attributes{{"alpha", reals({0.25})}};
  EXPECT_EQ(gradients("leaky_relu", {row({-1, 0, 2})}, attributes)[0], (Row{0.25, 0.25, 1}));
  EXPECT_EQ(slopes("leaky_relu", {row({-1, 0, 2})}, attributes), (Row{0.25, 0.25, 1}));
}

TEST(Kinks, ClipAtItsBoundsHasDerivativeZero) {
  const Attributes attributes{{"min", reals({0})}, {"max", reals({6})}};
  EXPECT_EQ(gradients("clip", {row({-1, 0, 3, 6, 7})}, attributes)[0], (Row{0, 0, 1, 0, 0}));
  EXPECT_EQ(slopes("clip", {row({-1, 0, 3, 6, 7})}, attributes), (Row{0, 0, 1, 0, 0}));
}

TEST(Kinks, AbsAtZeroHasDerivativeZero) {
  EXPECT_EQ(gradients("abs", {row({-1, 0, 2})})[0], (Row{-1, 0, 1}));
  EXPECT_EQ(slopes("abs", {row({-1, 0, 2})}), (Row{-1, 0, 1}));
}

TEST(Kinks, TiesOfTwoGoToTheFirst) {
  for (const std::string op : {"maximum", "minimum"}) {
    const auto made = gradients(op, {row({1, 2, 5}), row({1, 2, 5})});
    EXPECT_EQ(made[0], (Row{1, 1, 1})) << op;
    EXPECT_EQ(made[1], (Row{0, 0, 0})) << op;
  }
}

TEST(Kinks, TiesOfAReductionGoToTheFirst) {
  const Attributes attributes{{"axes", ints({0})}, {"keepdims", ints({0})}};
  EXPECT_EQ(gradients("reduce_max", {row({3, 7, 7, 1})}, attributes)[0], (Row{0, 1, 0, 0}));
  EXPECT_EQ(gradients("reduce_min", {row({3, 1, 1, 7})}, attributes)[0], (Row{0, 1, 0, 0}));
}

TEST(Kinks, TiesOfAMaxPoolGoToTheFirst) {
  const Attributes attributes{{"kernel", ints({2, 2})},
                              {"strides", ints({2, 2})},
                              {"pads", ints({0, 0, 0, 0})},
                              {"dilations", ints({1, 1})},
                              {"ceil_mode", ints({0})}};
  const Tensor constant = Tensor::of<double>({1, 1, 2, 4}, std::vector<double>(8, 0.5));
  EXPECT_EQ(gradients("max_pool", {constant}, attributes)[0], (Row{1, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(Kinks, RoundingHasDerivativeZeroAndIsNoted) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {2}});
  b.output("y", b.mul(x, b.op("floor", {x})));
  const Gradient made = gradient(graph);
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_NE(made.notes[0].find("floor"), std::string::npos);
  const auto outputs = interpret(made.graph, {{"x", row({1.5, -2.5})}, {"seed", row({1, 1})}}, 1);
  EXPECT_EQ(values_of(outputs[1]), (Row{1, -3}));
}

TEST(Kinks, JetsOfPiecewiseLinearNetworksEndAfterOrderOne) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4}});
  const Value hidden = b.op("relu", {b.matmul(x, b.constant(random_tensor({4, 6}, 1)))});
  b.output("y", b.matmul(hidden, b.constant(random_tensor({6, 1}, 2))));
  const Graph made = jets(graph, {.order = 5});
  const auto c = interpret(made, {{"x", random_tensor({1, 4}, 3)}, {"v.x", random_tensor({1, 4}, 4)}}, 1);
  EXPECT_NE(c[1].at(0), 0);
  for (size_t k = 2; k <= 5; ++k) EXPECT_EQ(c[k].at(0), 0);
}

TEST(Kinks, WhatIsNotANumberStaysSo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Graph made = jets(single("relu", {row({nan})}, {}), {.order = 1});
  const auto outputs = interpret(made, {{"x0", row({nan})}, {"v.x0", row({1})}}, 1);
  EXPECT_TRUE(std::isnan(outputs[0].at(0)));
}

}  // namespace
}  // namespace ascribe::core
