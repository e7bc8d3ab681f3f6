#include "passes/linear_prefix.h"

#include <gtest/gtest.h>

#include "derivatives/networks.h"
#include "graph/builder.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// Both halves one behind the other against the whole.
void expect_same(const Graph& graph, const LinearPrefix& cut, const Tensor& x) {
  const Tensor whole = interpret(graph, {{"x", x}}, x.shape()[0])[0];
  const Tensor h = interpret(cut.prefix, {{"x", x}}, x.shape()[0])[0];
  expect_near(interpret(cut.suffix, {{"x", h}}, x.shape()[0])[0], whole, 0);  // the same operations in the same order
}

TEST(LinearPrefix, CutsBehindTheFirstLayerAndItsBias) {
  const Graph graph = sigmoid_network(5, 4);
  const auto cut = split_linear_prefix(graph, 0);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->outer, 5);
  EXPECT_EQ(cut->inner, 4);
  EXPECT_TRUE(cut->prefix.is(cut->prefix.outputs[0].value, "add"));
  expect_same(graph, *cut, random_tensor({3, 5}, 7));
}

TEST(LinearPrefix, GoesThroughWhatOnlyMovesOrScales) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {Kind::real, {kBatch, 2, 3}});
  const Value flat = b.mul(b.reshape(b.sub(x, b.scalar(0.5)), {kBatch, 6}), 2.0);
  const Value first = b.matmul(flat, b.constant(random_tensor({6, 4}, 1)));
  b.output("y", b.op("relu", {b.matmul(first, b.constant(random_tensor({4, 3}, 2)))}));
  const auto cut = split_linear_prefix(graph, 0);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->inner, 3);  // both products
  expect_same(graph, *cut, random_tensor({2, 2, 3}, 7));
}

TEST(LinearPrefix, ThereIsNoneWhereTheInputIsReadTwiceOrBentFirst) {
  Graph twice, bent, mixed;
  {
    Builder b(twice);
    const Value x = b.input("x", {Kind::real, {kBatch, 3}});
    b.output("y", b.add(b.matmul(x, b.constant(random_tensor({3, 3}, 1))), x));
  }
  {
    Builder b(bent);
    const Value x = b.input("x", {Kind::real, {kBatch, 3}});
    b.output("y", b.matmul(b.op("tanh", {x}), b.constant(random_tensor({3, 3}, 1))));
  }
  {
    Builder b(mixed);  // the other factor is an input, too
    const Value x = b.input("x", {Kind::real, {kBatch, 3}});
    const Value w = b.input("w", {Kind::real, {3, 3}});
    b.output("y", b.matmul(x, w));
  }
  EXPECT_FALSE(split_linear_prefix(twice, 0));
  EXPECT_FALSE(split_linear_prefix(bent, 0));
  EXPECT_FALSE(split_linear_prefix(mixed, 0));
}

}  // namespace
}  // namespace ascribe::core
