#include <gtest/gtest.h>

#include <cmath>

#include "support/ops.h"

namespace ascribe::core {
namespace {

Attributes arg(int64_t axis, bool keepdims = false, bool select_last = false) {
  return {{"axis", ints({axis})}, {"keepdims", ints({keepdims})}, {"select_last", ints({select_last})}};
}

const Tensor kX = Tensor::of<double>({2, 3}, {1, 3, 3, 0, 0, -1});

TEST(ArgMax, FindsTheFirstOrTheLast) {
  EXPECT_EQ(values_of(apply_op("arg_max", {kX}, arg(1))), (std::vector<double>{1, 0}));
  EXPECT_EQ(values_of(apply_op("arg_max", {kX}, arg(1, false, true))), (std::vector<double>{2, 1}));
  EXPECT_EQ(values_of(apply_op("arg_min", {kX}, arg(1))), (std::vector<double>{0, 2}));
  EXPECT_EQ(values_of(apply_op("arg_min", {kX}, arg(0))), (std::vector<double>{1, 1, 1}));
}

TEST(ArgMax, NanWins) {
  const Tensor x = Tensor::of<double>({4}, {1, NAN, 9, NAN});
  EXPECT_EQ(apply_op("arg_max", {x}, arg(0)).at(0), 1);
  EXPECT_EQ(apply_op("arg_min", {x}, arg(0)).at(0), 1);
  EXPECT_EQ(apply_op("arg_max", {x}, arg(0, false, true)).at(0), 3);
}

TEST(ArgMax, IntegersAreComparedExactly) {
  EXPECT_EQ(apply_op("arg_max", {Tensor::of<int64_t>({2}, {INT64_MAX - 1, INT64_MAX})}, arg(0)).at(0), 1);
}

TEST(ArgMax, TheAxisStaysOrGoes) {
  EXPECT_EQ(infer_op("arg_max", {real({kBatch, 5})}, arg(1, true)), integer({kBatch, 1}));
  EXPECT_EQ(infer_op("arg_max", {real({kBatch, 5})}, arg(0)), integer({5}));
  EXPECT_NE(refusal("arg_max", {real({kBatch, 0})}, arg(1)), "");
  EXPECT_NE(refusal("arg_max", {real({Dim(-1, 1)})}, arg(0)), "") << "empty for one row";
  EXPECT_NE(refusal("arg_max", {real({kBatch})}, arg(1)), "");
  EXPECT_EQ(apply_op("arg_max", {Tensor(DType::f64, {0, 3})}, arg(1)).shape(), (Shape{0}));
}

}  // namespace
}  // namespace ascribe::core
