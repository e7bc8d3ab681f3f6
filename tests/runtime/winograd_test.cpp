#include "runtime/kernels/winograd_f32.h"

#include <gtest/gtest.h>

#include "runtime/kernels/constants.h"
#include "runtime/session.h"
#include "support/interpret.h"
#include "support/ops.h"
#include "tensor/rows.h"

namespace ascribe::core {
namespace {

struct Case {
  bool transposed = false;
  int64_t in = 32, out = 48, height = 7, width = 10;  // odd and even extents, with AVX-512 a panel that is not full
  std::vector<int64_t> pads = {1, 1, 1, 1};
  bool bias = true, residual = false, relu = false;
};

Attributes attributes_of(const Case& c) {
  Attributes attributes{
      {"strides", ints({1, 1})}, {"pads", ints(c.pads)}, {"dilations", ints({1, 1})}, {"group", ints({1})}};
  if (c.transposed) attributes.set("output_padding", ints({0, 0}));
  return attributes;
}

Graph network(const Case& c) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, c.in, c.height, c.width}));
  std::vector<Value> inputs = {x};
  const Shape weight = c.transposed ? Shape{c.in, c.out, 3, 3} : Shape{c.out, c.in, 3, 3};
  inputs.push_back(b.constant(random_tensor(weight, 1, 0.1)));
  if (c.bias) inputs.push_back(b.constant(random_tensor({c.out}, 2)));
  Value y = b.op(c.transposed ? "conv_transpose" : "conv", inputs, attributes_of(c));
  if (c.residual) {
    inputs[1] = b.constant(random_tensor(weight, 3, 0.1));
    y = b.add(y, b.op("conv", inputs, attributes_of(c)));
  }
  b.output("y", c.relu ? b.op("relu", {y}) : y);
  return graph;
}

void expect_right(const Case& c) {
  const Graph graph = network(c);
  const Tensor x = random_tensor({3, c.in, c.height, c.width}, 5);
  Session session(graph);
  const Tensor fast = session.run(std::vector{x.cast(DType::f32)})[0];
  const Tensor slow = interpret(graph, {{"x", x}}, 3)[0];
  // Sums of 32 * 9 products of order 0.1 in float: rounding is about 1e-6, and the transforms add their share. It grows
  // as sums of random numbers do.
  expect_near(fast.cast(DType::f64), slow, 2e-5 * std::sqrt(static_cast<double>(c.in) / 32));
}

TEST(Winograd, ConvolutionsOfAllPaddings) {
  for (const std::vector<int64_t>& pads : {std::vector<int64_t>{1, 1, 1, 1}, {0, 0, 0, 0}, {2, 0, 1, 2}}) {
    expect_right({.pads = pads});
    expect_right({.transposed = true, .pads = pads});
  }
}

TEST(Winograd, APanelOfEightThatIsNotFull) { expect_right({.out = 40}); }

TEST(Winograd, WithoutBias) { expect_right({.bias = false}); }

TEST(Winograd, SeveralBlocksOfTilesAndPanels) { expect_right({.in = 64, .out = 80, .height = 30, .width = 33}); }

// Tiles for all threads, who then work by themselves.
TEST(Winograd, ManyTiles) {
  expect_right({.in = 32, .out = 112, .height = 61, .width = 50});
  expect_right({.transposed = true, .in = 512, .out = 32, .height = 29, .width = 30, .relu = true});
}

// Rows alone and together, whatever way the threads take, to the last bit.
TEST(Winograd, RowsDoNotMatterToEachOther) {
  const Case c{.in = 64, .out = 64, .height = 17, .width = 15};
  const Graph graph = network(c);
  const Tensor x = random_tensor({9, c.in, c.height, c.width}, 5).cast(DType::f32);
  Session session(graph);
  const Tensor together = session.run(std::vector{x})[0];
  for (const int64_t row : {int64_t{0}, int64_t{8}}) {
    const std::array<int64_t, 1> one = {row};
    const Tensor alone = session.run(std::vector{take_rows(x, one)})[0], own = take_rows(together, one);
    EXPECT_TRUE(std::ranges::equal(alone.data<float>(), own.data<float>()));
  }
}

// Where convolutions before and behind have channels last.
TEST(Winograd, ChannelsLast) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 32, 12, 13}));
  Attributes one = attributes_of({.pads = {0, 0, 0, 0}}), three = attributes_of({});
  const Value first = b.op("conv", {x, b.constant(random_tensor({64, 32, 1, 1}, 1, 0.2))}, one);
  const Value turned = b.op("transpose", {first}, {{"perm", ints({0, 2, 3, 1})}});
  const Value scaled = b.mul(turned, b.constant(random_tensor({64}, 4)));
  const Value back = b.op("transpose", {scaled}, {{"perm", ints({0, 3, 1, 2})}});
  b.output("y", b.op("conv", {back, b.constant(random_tensor({48, 64, 3, 3}, 2, 0.1))}, three));
  const Tensor input = random_tensor({3, 32, 12, 13}, 5);
  Session session(graph);
  const Tensor fast = session.run(std::vector{input.cast(DType::f32)})[0];
  expect_near(fast.cast(DType::f64), interpret(graph, {{"x", input}}, 3)[0], 5e-5);
}

TEST(Winograd, WhatFollowsIsAbsorbed) {
  expect_right({.relu = true});
  expect_right({.residual = true, .relu = true});
  expect_right({.residual = true});
}

// The request as a plan would make it.
bool is_taken(const Case& c) {
  Graph graph = network(c);
  const Value conv = graph.outputs[0].value;
  const Node node = graph[conv];
  std::vector<Operand> inputs;
  for (const Value input : node.inputs) {
    inputs.push_back({input, DType::f32, at(graph[input].type.shape, 1), nullptr, graph.is(input, "constant")});
  }
  const Operand output{conv, DType::f32, at(node.type.shape, 1), nullptr, false};
  Workspace workspace(size_t{1} << 30);
  ConstantStore constants(graph, DType::f32, workspace);
  return make_winograd({*node.op, node.attributes, inputs, output, {}, constants}) != nullptr;
}

TEST(Winograd, NaNStays) {
  if (!is_taken({})) GTEST_SKIP() << "not on this machine";
  const Graph graph = network({.relu = true});
  Tensor x = random_tensor({1, 32, 7, 10}, 5).cast(DType::f32);
  x.mutable_data<float>()[0] = NAN;
  Session session(graph);
  EXPECT_TRUE(std::isnan(session.run(std::vector{x})[0].at(0)));
}

TEST(Winograd, IsTakenWhereItPays) {
  if (!is_taken({})) GTEST_SKIP() << "not on this machine";
  EXPECT_TRUE(is_taken({.transposed = true}));
  EXPECT_FALSE(is_taken({.in = 8}));    // too few channels
  EXPECT_FALSE(is_taken({.out = 52}));  // not whole vectors
}

}  // namespace
}  // namespace ascribe::core
