// Elementwise operations on row-major operands: the same bits as the reference, however they broadcast.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "base/random.h"
#include "runtime/session.h"
#include "support/interpret.h"

namespace ascribe::core {
namespace {

Tensor noise(const Shape& shape, uint64_t seed, DType dtype) {
  Tensor tensor(DType::f64, shape);
  const Random random(seed);
  auto values = tensor.mutable_data<double>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return tensor.cast(dtype);
}

const std::pair<Shape, Shape> kShapes[] = {
    {{6}, {6}},
    {{4, 5}, {5}},
    {{5}, {4, 5}},
    {{4, 5}, {4, 1}},
    {{4, 1}, {1, 5}},
    {{}, {2, 3}},
    {{2, 3}, {}},
    {{1, 1}, {1}},
    {{2, 3, 4}, {3, 1}},
    {{2, 1, 3, 1}, {1, 4, 1, 5}},
    {{2, 3, 1, 4}, {2, 3, 5, 1}},
    {{3, 70, 100}, {70, 1}},  // more than one chunk
    {{1, 300, 1}, {70, 1, 3}},
    {{128}, {784, 128}},
};

TEST(PlainBinary, HasTheBitsOfTheReferenceHoweverItBroadcasts) {
  for (const DType real : {DType::f32, DType::f64}) {
    for (const char* op : {"add", "sub", "mul", "div", "gate"}) {
      for (const auto& [left, right] : kShapes) {
        if (std::string_view(op) == "gate" && element_count(left) < element_count(right)) continue;
        Graph graph;
        Builder b(graph);
        const Value x = b.input("x", {Kind::real, to_dims(left)}), y = b.input("y", {Kind::real, to_dims(right)});
        try {
          b.output("z", b.op(op, {x, y}));
        } catch (const Error&) {
          continue;  // a gate whose choice is the larger one
        }
        const Tensor a = noise(left, 1, real), c = noise(right, 2, real);
        const Tensor expected = interpret(graph, {{"x", a}, {"y", c}}, 1, real)[0];
        const Tensor actual = Session(graph, {.real = real}).run(std::array{a, c})[0];
        ASSERT_EQ(actual.shape(), expected.shape());
        ASSERT_EQ(std::memcmp(actual.memory(), expected.memory(), actual.bytes()), 0)
            << op << " of " << to_string(left) << " and " << to_string(right);
      }
    }
  }
}

TEST(SumOfProducts, HasTheBitsOfTheReferenceHoweverItBroadcasts) {
  for (const DType real : {DType::f32, DType::f64}) {
    for (const auto& [left, right] : kShapes) {
      Graph graph;
      Builder b(graph);
      const Value x = b.input("x", {Kind::real, to_dims(left)}), y = b.input("y", {Kind::real, to_dims(right)});
      // Powers of two, so that the order of the factors does not matter.
      b.output("z", b.op("sum_of_products", {x, y, y, x, x, x, y, b.scalar(3)}, {{"weights", reals({1, -2, 0.5, 4})}}));
      const Tensor a = noise(left, 1, real), c = noise(right, 2, real);
      const Tensor expected = interpret(graph, {{"x", a}, {"y", c}}, 1, real)[0];
      const Tensor actual = Session(graph, {.real = real}).run(std::array{a, c})[0];
      ASSERT_EQ(actual.shape(), expected.shape());
      ASSERT_EQ(std::memcmp(actual.memory(), expected.memory(), actual.bytes()), 0)
          << to_string(left) << " and " << to_string(right);
    }
  }
}

// The operand that is read again afterwards must survive.
TEST(PlainBinary, TakesOverMemoryOnlyWhereNobodyReadsItAnyMore) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 9}});
  const Value h = b.mul(x, x);
  const Value one_minus = b.sub(b.scalar(1), h);
  b.output("z", b.add(b.mul(one_minus, h), b.div(one_minus, b.add(h, 1.0))));
  const Tensor a = noise({3, 9}, 3, DType::f64);
  const Tensor expected = interpret(graph, {{"x", a}}, 3)[0];
  const Tensor actual = Session(graph, {.real = DType::f64}).run(std::array{a})[0];
  EXPECT_EQ(std::memcmp(actual.memory(), expected.memory(), actual.bytes()), 0);
}

// 1 - y, y a convolution's result: with channels that fill their blocks, and with padding that must not become 1.
TEST(PlainBinary, SingleValueWithBlockedOperand) {
  for (const int64_t channels : {16, 11}) {
    Graph graph;
    Builder b(graph);
    const Attributes window{
        {"strides", ints({1, 1})}, {"pads", ints({0, 0, 0, 0})}, {"dilations", ints({1, 1})}, {"group", ints({1})}};
    const Value x = b.input("x", {Kind::real, {kBatch, channels, 4, 5}});
    const Value weight = b.constant(noise({channels, channels, 1, 1}, 5, DType::f64));
    Value h = b.op("neg", {b.sub(b.scalar(1), b.op("conv", {x, weight}, window))});
    h = b.div(b.mul(h, 3.0), b.scalar(7));
    b.output("z", b.op("conv", {h, weight}, window));
    const Tensor a = noise({2, channels, 4, 5}, 6, DType::f64);
    const Tensor expected = interpret(graph, {{"x", a}}, 2)[0];
    const Tensor actual = Session(graph).run(std::array{a})[0];
    for (int64_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual.at(i), expected.at(i), 1e-4) << channels;
  }
}

}  // namespace
}  // namespace ascribe::core
