// share and secant in float, in row-major and in blocked memory with and without padded channels, beside `apply`.
#include <gtest/gtest.h>

#include "runtime/session.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// A convolution, which likes channels in blocks: 3 and 8 channels, with and without padding.
Value conv(Builder& b, Value x, int64_t channels, uint64_t seed) {
  return b.op(
      "conv", {x, b.constant(random_tensor({channels, 2, 3, 3}, seed, 0.5))},
      {{"strides", ints({1, 1})}, {"pads", ints({1, 1, 1, 1})}, {"dilations", ints({1, 1})}, {"group", ints({1})}});
}

void expect_same(const Graph& graph, DType real, double tolerance) {
  const Tensor x = random_tensor({2, 2, 5, 5}, 3).cast(real);
  SessionOptions options;
  options.real = real;
  Session session(graph, options);
  const auto fast = session.run(std::vector{x});
  const auto slow = interpret(graph, {{"x", x}}, 2);
  for (size_t i = 0; i < slow.size(); ++i) expect_near(fast[i].cast(DType::f64), slow[i], tolerance);
}

Attributes share(double epsilon, bool guarded) {
  return {{"scale", reals({2})}, {"epsilon", reals({epsilon})}, {"guarded", ints({guarded ? 1 : 0})}};
}

// Denominators are kept from 0 by epsilon, so that rounding in float stays small.
TEST(RelevanceKernels, ShareEqualsItsReference) {
  for (const int64_t channels : {3, 8}) {
    for (const bool guarded : {false, true}) {
      Graph graph;
      Builder b(graph);
      const Value x = b.input("x", real({kBatch, 2, 5, 5}));
      const Value r = conv(b, x, channels, 1), z = b.op("relu", {conv(b, x, channels, 2)}), y = conv(b, x, channels, 4);
      b.output("plain", b.op("share", {r, z}, share(0.5, guarded)));
      b.output("factored", b.op("share", {r, z, y}, share(0.5, guarded)));
      b.output("behind", conv(b, b.slice(b.op("share", {r, y}, share(0.5, guarded)), 1, 0, 2), 3, 5));
      expect_same(graph, DType::f32, 1e-4);
      expect_same(graph, DType::f64, 1e-12);
    }
  }
}

TEST(RelevanceKernels, AGuardedShareOfNothingIsNothing) {
  const Tensor r = Tensor::of<double>({4}, {1, 1, 1, 1}), z = Tensor::of<double>({4}, {0.0, -0.0, -2, 0.5});
  EXPECT_EQ(values_of(apply_op("share", {r, z}, share(0, true))), (std::vector<double>{0, 0, -1, 4}));
  // The sign of 0 is +, that of -0 too.
  EXPECT_EQ(values_of(apply_op("share", {r, z}, share(0.5, false))), (std::vector<double>{4, 4, -0.8, 2}));
}

TEST(RelevanceKernels, SecantEqualsItsReference) {
  for (const int64_t channels : {3, 8}) {
    Graph graph;
    Builder b(graph);
    const Value x = b.input("x", real({kBatch, 2, 5, 5}));
    std::vector<Value> operands;
    for (uint64_t i = 0; i < 6; ++i) operands.push_back(conv(b, x, channels, 10 + i));
    const Attributes attributes = {{"absolute", reals({0.3})}, {"relative", reals({0.1})}};
    b.output("y", b.op("secant", operands, attributes));
    b.output("relu", b.op("secant", {operands[0], operands[1], operands[2]}, attributes));
    expect_same(graph, DType::f32, 1e-4);
    expect_same(graph, DType::f64, 1e-12);
  }
}

}  // namespace
}  // namespace ascribe::core
