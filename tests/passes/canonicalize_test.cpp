#include "passes/canonicalize.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

Tensor noise(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::f64, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i) + 0.1;
  return tensor;
}

int count(const Graph& graph, const std::string& op) {
  int found = 0;
  for (const Node& node : graph.nodes) found += node.op->name == op ? 1 : 0;
  return found;
}

void expect_same_values(const Graph& a, const Graph& b, const Shape& input) {
  const Tensor x = noise(input, 99);
  const auto expected = interpret(a, {{"x", x}}, input[0]), actual = interpret(b, {{"x", x}}, input[0]);
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t o = 0; o < expected.size(); ++o) {
    for (int64_t i = 0; i < expected[o].size(); ++i) EXPECT_NEAR(actual[o].at(i), expected[o].at(i), 1e-12);
  }
}

Attributes plain_window() {
  return {{"strides", ints({1, 1})}, {"pads", ints({1, 1, 1, 1})}, {"dilations", ints({1, 1})}, {"group", ints({1})}};
}

TEST(Canonicalize, FactorsAndShiftsAfterAConvolutionJoinItsWeights) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 5, 5}});
  Value h = b.op("conv", {x, b.constant(noise({4, 3, 3, 3}, 1))}, plain_window());
  h = b.sub(h, b.constant(noise({4, 1, 1}, 2)));
  h = b.div(h, b.constant(noise({1, 4, 1, 1}, 3)));
  h = b.add(b.constant(noise({4, 1, 1}, 4)), b.mul(h, 3.0));
  b.output("y", b.op("relu", {h}));
  const Graph canonical = canonicalize(graph);
  for (const char* op : {"sub", "div", "mul", "add"}) EXPECT_EQ(count(canonical, op), 0) << op;
  EXPECT_EQ(count(canonical, "conv"), 1);
  expect_same_values(graph, canonical, {2, 3, 5, 5});
}

// Forward and backward read the same matrix: a factor behind one of them is no reason for a second matrix.
TEST(Canonicalize, WeightsThatAreSharedStaySharedWhereThatIsAsked) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4}});
  const Value weight = b.constant(noise({4, 4}, 1)), factor = b.constant(noise({4}, 2));
  const Value h = b.matmul(x, weight);
  b.output("y", b.mul(b.matmul(b.op("relu", {h}), weight, false, true), factor));
  const Graph kept = canonicalize(graph, SharedWeights::keep), copied = canonicalize(graph);
  EXPECT_EQ(count(kept, "mul"), 1);
  EXPECT_EQ(count(copied, "mul"), 0);
  expect_same_values(graph, kept, {3, 4});
  expect_same_values(graph, copied, {3, 4});
}

TEST(Canonicalize, WeightsOfOneReaderTakeItsFactorEvenThen) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4}});
  b.output("y", b.mul(b.matmul(x, b.constant(noise({4, 4}, 1))), b.constant(noise({4}, 2))));
  EXPECT_EQ(count(canonicalize(graph, SharedWeights::keep), "mul"), 0);
}

TEST(Canonicalize, AConvolutionWithAnotherReaderKeepsItsWeights) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 5, 5}});
  const Value h = b.op("conv", {x, b.constant(noise({4, 3, 3, 3}, 1))}, plain_window());
  b.output("scaled", b.mul(h, 2.0));
  b.output("plain", h);
  const Graph canonical = canonicalize(graph);
  EXPECT_EQ(count(canonical, "mul"), 1);
  expect_same_values(graph, canonical, {2, 3, 5, 5});
}

TEST(Canonicalize, AConstantPerPixelIsNotABias) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 5, 5}});
  const Value h = b.op("conv", {x, b.constant(noise({4, 3, 3, 3}, 1))}, plain_window());
  b.output("y", b.add(h, b.constant(noise({4, 5, 5}, 2))));
  const Graph canonical = canonicalize(graph);
  EXPECT_EQ(count(canonical, "add"), 1);
  expect_same_values(graph, canonical, {2, 3, 5, 5});
}

TEST(Canonicalize, AFactorPerColumnJoinsTheMatrix) {
  for (const bool transposed : {false, true}) {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", {Kind::real, {kBatch, 6}});
    const Shape shape = transposed ? Shape{4, 6} : Shape{6, 4};
    const Value h = b.matmul(x, b.constant(noise(shape, 1)), false, transposed);
    b.output("y", b.mul(h, b.constant(noise({1, 4}, 2))));
    const Graph canonical = canonicalize(graph);
    EXPECT_EQ(count(canonical, "mul"), 0);
    expect_same_values(graph, canonical, {3, 6});
  }
}

TEST(Canonicalize, FactorsAndShiftsAfterABiasedMatrixProductJoinIt) {
  Graph graph;
  Builder b(graph);
  Value h = b.matmul(b.input("x", {Kind::real, {kBatch, 6}}), b.constant(noise({6, 4}, 1)));
  h = b.mul(b.add(h, b.constant(noise({4}, 2))), b.constant(noise({1, 4}, 3)));
  h = b.div(b.sub(h, b.constant(noise({4}, 4))), b.constant(noise({4}, 5)));
  b.output("y", b.op("relu", {b.mul(h, 3.0)}));
  const Graph canonical = canonicalize(graph);
  for (const char* op : {"sub", "div", "mul"}) EXPECT_EQ(count(canonical, op), 0) << op;
  EXPECT_EQ(count(canonical, "add"), 1);
  expect_same_values(graph, canonical, {3, 6});
}

TEST(Canonicalize, ConstantsGoBackOverMovesToTheirLayer) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 5, 5}});
  Value h = b.op("conv", {x, b.constant(noise({4, 3, 3, 3}, 1))}, plain_window());
  h = b.reshape(b.transpose(h, {0, 2, 3, 1}), {kBatch, 1, 5, 5, 4, 1});
  h = b.add(b.mul(b.constant(noise({4, 1}, 2)), h), b.constant(noise({1, 1, 1, 1, 4, 1}, 3)));
  h = b.reshape(h, {kBatch, 25, 4});  // joins axes, but not the channels
  b.output("y", b.sub(h, b.constant(noise({4}, 4))));
  const Graph canonical = canonicalize(graph);
  for (const char* op : {"sub", "add", "mul"}) EXPECT_EQ(count(canonical, op), 0) << op;
  expect_same_values(graph, canonical, {2, 3, 5, 5});
}

TEST(Canonicalize, AConstantThatVariesWithinAJoinedAxisStays) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 3, 5, 5}});
  const Value h = b.op("conv", {x, b.constant(noise({4, 3, 3, 3}, 1))}, plain_window());
  b.output("y", b.add(b.reshape(h, {kBatch, 100}), b.constant(noise({100}, 2))));
  b.output("z", b.mul(b.transpose(h, {0, 3, 2, 1}), b.constant(noise({5, 1, 1}, 2))));  // per column of pixels
  const Graph canonical = canonicalize(graph);
  EXPECT_EQ(count(canonical, "add"), 1);
  EXPECT_EQ(count(canonical, "mul"), 1);
  expect_same_values(graph, canonical, {2, 3, 5, 5});
}

TEST(Canonicalize, MaximumWithZeroIsRelu) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4}});
  b.output("first", b.op("maximum", {x, b.scalar(0)}));
  b.output("second", b.op("maximum", {b.constant(Tensor(DType::f64, {4})), x}));
  b.output("one", b.op("maximum", {x, b.scalar(1)}));
  b.output("wider", b.op("maximum", {x, b.constant(Tensor(DType::f64, {2, 1, 4}))}));
  const Graph canonical = canonicalize(graph);
  EXPECT_EQ(count(canonical, "relu"), 2);
  EXPECT_EQ(count(canonical, "maximum"), 2);
  expect_same_values(graph, canonical, {3, 4});
}

// More moves than a constant is followed over; and none of it may take long.
TEST(Canonicalize, LongChainsOfMovesEnd) {
  Graph graph;
  Builder b(graph);
  Value h = b.matmul(b.input("x", {Kind::real, {kBatch, 6}}), b.constant(noise({6, 4}, 1)));
  for (int i = 0; i < 200; ++i) h = b.add(b.transpose(h, {1, 0}), 0.5);
  b.output("y", h);
  expect_same_values(graph, canonicalize(graph), {3, 6});
}

TEST(Canonicalize, ConstantsInARowBecomeOne) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4, 3, 3}});
  const auto channel = [&](uint64_t seed) { return b.constant(noise({4, 1, 1}, seed)); };
  Value h = b.add(b.mul(x, channel(1)), channel(2));
  h = b.add(channel(4), b.mul(channel(3), h));
  b.output("y", b.op("relu", {h}));
  const Graph canonical = canonicalize(graph);
  EXPECT_EQ(count(canonical, "mul"), 1);
  EXPECT_EQ(count(canonical, "add"), 1);
  expect_same_values(graph, canonical, {2, 4, 3, 3});
}

TEST(Canonicalize, AnInnerValueThatSomebodyElseReadsStays) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 4, 3, 3}});
  const Value h = b.mul(x, b.constant(noise({4, 1, 1}, 1)));
  b.output("y", b.mul(h, b.constant(noise({4, 1, 1}, 2))));
  b.output("h", h);
  expect_same_values(graph, canonicalize(graph), {2, 4, 3, 3});
}

TEST(Canonicalize, WhatNoOutputNeedsIsGoneAndInputsStay) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 6}});
  b.input("unused", {Kind::real, {kBatch, 2}});
  b.op("exp", {x});
  b.output("y", b.op("relu", {x}));
  const Graph canonical = canonicalize(graph);
  EXPECT_EQ(count(canonical, "exp"), 0);
  EXPECT_EQ(canonical.inputs.size(), 2U);
}

}  // namespace
}  // namespace ascribe::core
