#include "passes/pack_inputs.h"

#include <gtest/gtest.h>

#include "passes/gradient.h"
#include "support/errors.h"
#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

// y = a0 a1 + n + t[k], and a constant s that has no rows.
Graph model() {
  Graph graph;
  Builder b(graph);
  const Value a = b.input("a", {Kind::real, {kBatch, 2}});
  const Value n = b.input("n", {Kind::integer, {kBatch, 1}}, "int64");
  const Value k = b.input("k", {Kind::integer, {kBatch}}, "int64");
  const Value s = b.input("s", {Kind::real, {1}});
  const Value product = b.mul(b.slice(a, 1, 0, 1), b.slice(a, 1, 1, 1));
  const Value table = b.constant(Tensor::of<double>({3}, std::vector<double>{10, 20, 30}));
  const Value picked = b.reshape(b.op("gather", {table, k}, {{"axis", ints({0})}}), {kBatch, 1});
  b.output("y", b.mul(b.add(b.add(product, b.cast(n, Kind::real)), picked), s));
  return graph;
}

TEST(PackInputs, TheSameFunctionOfOneRow) {
  const PackedGraph packed = pack_inputs(model(), {1, 0, 2}, "all");
  ASSERT_EQ(packed.graph.inputs.size(), 2U);
  EXPECT_EQ(packed.graph.inputs[0].name, "all");
  EXPECT_EQ(packed.graph.inputs[1].name, "s");
  ASSERT_EQ(packed.parts.size(), 3U);
  EXPECT_EQ(packed.parts[1].first, 1);
  EXPECT_FALSE(packed.parts[0].whole);  // only turned into a real
  EXPECT_TRUE(packed.parts[2].whole);
  const Tensor row = Tensor::of<double>({2, 4}, std::vector<double>{5, 2, 3, 1, -1, 4, 0.5, 2});
  const Tensor s = Tensor::of<double>({1}, std::vector<double>{2});
  const Tensor y = interpret(packed.graph, {{"all", row}, {"s", s}}, 2)[0];
  EXPECT_EQ(y.at(0), 2 * (2 * 3 + 5 + 20));
  EXPECT_EQ(y.at(1), 2 * (4 * 0.5 - 1 + 30));
}

TEST(PackInputs, WholeNumbersThatChooseHaveNoDerivative) {
  EXPECT_NO_THROW(gradient(pack_inputs(model(), {0, 1}, "numbers").graph));
  expect_error(ErrorKind::unsupported, "no derivative", [] { gradient(pack_inputs(model(), {0, 2}, "both").graph); });
}

TEST(PackInputs, RefusesInputsWithoutRows) {
  expect_error(ErrorKind::unsupported, "row by row", [] { pack_inputs(model(), {0, 3}, "both"); });
}

}  // namespace
}  // namespace ascribe::core
