#include <gtest/gtest.h>

#include "support/ops.h"

namespace ascribe::core {
namespace {

TEST(Where, ChoosesWithBroadcasting) {
  const Tensor condition = Tensor::of<uint8_t>({2, 1}, {1, 0});
  const Tensor y = apply_op("where", {condition, Tensor::of<double>({2}, {1, 2}), Tensor::scalar(9.0)});
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(values_of(y), (std::vector<double>{1, 2, 9, 9}));
}

TEST(Where, TakesAnyKindAndNoElements) {
  const Tensor condition = Tensor::of<uint8_t>({2}, {0, 1});
  const Tensor integers =
      apply_op("where", {condition, Tensor::of<int64_t>({2}, {1, 2}), Tensor::of<int64_t>({2}, {3, 4})});
  EXPECT_EQ(values_of(integers), (std::vector<double>{3, 2}));
  EXPECT_EQ(apply_op("where", {condition, condition, Tensor::scalar<uint8_t>(1)}).dtype(), DType::boolean);
  EXPECT_EQ(apply_op("where", {Tensor(DType::boolean, {0}), Tensor::scalar(1.0), Tensor::scalar(2.0)}).size(), 0);
}

TEST(Where, MixedKindsAreRefused) {
  EXPECT_NE(refusal("where", {boolean({2}), real({2}), integer({2})}), "");
  EXPECT_NE(refusal("where", {real({2}), real({2}), real({2})}), "");
  EXPECT_NE(refusal("where", {boolean({2}), real({3}), real({3})}), "");
}

}  // namespace
}  // namespace ascribe::core
