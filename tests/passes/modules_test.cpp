#include "passes/modules.h"

#include <gtest/gtest.h>

#include "support/ops.h"

namespace ascribe::core {
namespace {

Attributes constant_pad(double value) {
  return {
      {"before", ints({0, 1})}, {"after", ints({0, 0})}, {"mode", std::string("constant")}, {"value", reals({value})}};
}

TEST(NeverNegative, FollowsTheSignThroughOperationsThatKeepIt) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", real({kBatch, 4})), count = b.input("count", integer({kBatch, 4}));
  const Value positive = b.op("relu", {x});
  const std::vector<std::pair<Value, bool>> cases = {
      {x, false},
      {positive, true},
      {b.op("acosh", {x}), true},
      {b.op("tanh", {positive}), true},
      {b.op("tanh", {x}), false},
      {b.op("sin", {positive}), false},
      {b.mul(x, x), true},
      {b.mul(x, positive), false},
      {b.add(positive, 1), true},
      {b.add(positive, -1), false},
      {b.sub(positive, b.scalar(1)), false},
      {b.div(positive, b.op("exp", {x})), true},
      {b.op("maximum", {x, positive}), true},
      {b.op("minimum", {x, positive}), false},
      {b.reduce("reduce_min", positive, {1}, true), true},
      {b.op("pad", {positive}, constant_pad(0)), true},
      {b.op("pad", {positive}, constant_pad(-1)), false},
      {b.op("clip", {x}, {{"min", reals({0})}, {"max", reals({6})}}), true},
      {b.op("clip", {x}, {{"min", reals({0})}, {"max", reals({-1})}}), false},
      {b.op("clip", {positive}, {{"min", reals({-1})}, {"max", reals({1})}}), true},
      {b.op("gather", {positive, b.constant(Tensor::of<int64_t>({1}, {-1}))}, {{"axis", ints({1})}}), true},
      {b.cast(count, Kind::real), false},
  };
  for (const auto& [value, expected] : cases)
    EXPECT_EQ(never_negative(graph, value), expected) << describe(graph[value]);
}

TEST(NeverNegative, GivesUpBehindSoManyOperations) {
  Graph graph;
  Builder b(graph);
  Value value = b.op("relu", {b.input("x", real({kBatch, 4}))});
  for (int i = 0; i < 3; ++i) value = b.op("tanh", {value});
  EXPECT_TRUE(never_negative(graph, value, 4));
  EXPECT_FALSE(never_negative(graph, value, 3));
}

}  // namespace
}  // namespace ascribe::core
