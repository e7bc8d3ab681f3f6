#include <gtest/gtest.h>

#include <cmath>

#include "support/ops.h"

namespace ascribe::core {
namespace {

const Tensor kBits = Tensor::of<uint8_t>({2, 1}, {0, 1}), kOthers = Tensor::of<uint8_t>({2}, {0, 1});

TEST(Comparison, OrdersRealsAndIntegers) {
  const Tensor a = Tensor::of<double>({4}, {1, 2, 3, NAN}), two = Tensor::scalar(2.0);
  EXPECT_EQ(values_of(apply_op("less", {a, two})), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(values_of(apply_op("less_equal", {a, two})), (std::vector<double>{1, 1, 0, 0}));
  EXPECT_EQ(values_of(apply_op("equal", {a, two})), (std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(values_of(apply_op("equal", {a, a})), (std::vector<double>{1, 1, 1, 0})) << "NaN equals nothing";
  const Tensor large = Tensor::scalar(INT64_MAX), smaller = Tensor::scalar(INT64_MAX - 1);
  EXPECT_EQ(apply_op("equal", {large, smaller}).at(0), 0) << "not compared as reals";
  EXPECT_EQ(apply_op("less", {smaller, large}).at(0), 1);
}

TEST(Comparison, BooleansHaveEqualityOnly) {
  EXPECT_EQ(values_of(apply_op("equal", {kBits, kOthers})), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_NE(refusal("less", {boolean({2}), boolean({2})}), "");
  EXPECT_NE(refusal("less_equal", {boolean({2}), boolean({2})}), "");
  EXPECT_NE(refusal("equal", {real({2}), integer({2})}), "");
  EXPECT_EQ(infer_op("less", {real({kBatch, 1}), real({3})}), boolean({kBatch, 3}));
}

TEST(Logical, FollowsTheTruthTables) {
  EXPECT_EQ(values_of(apply_op("logical_and", {kBits, kOthers})), (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(values_of(apply_op("logical_or", {kBits, kOthers})), (std::vector<double>{0, 1, 1, 1}));
  EXPECT_EQ(values_of(apply_op("logical_xor", {kBits, kOthers})), (std::vector<double>{0, 1, 1, 0}));
  EXPECT_EQ(values_of(apply_op("logical_not", {kOthers})), (std::vector<double>{1, 0}));
}

TEST(Logical, NumbersAreRefused) {
  EXPECT_NE(refusal("logical_and", {boolean({2}), integer({2})}), "");
  EXPECT_NE(refusal("logical_or", {real({2}), real({2})}), "");
  EXPECT_NE(refusal("logical_not", {integer({2})}), "");
}

}  // namespace
}  // namespace ascribe::core
