#include <gtest/gtest.h>

#include <limits>

#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Sub, BroadcastsBothOperands) {
  const Tensor difference = apply_op("sub", {Tensor::of<double>({2, 1}, {10, 20}), Tensor::of<double>({3}, {1, 2, 3})});
  EXPECT_EQ(difference.shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(difference), (std::vector<double>{9, 8, 7, 19, 18, 17}));
}

TEST(Sub, IntegersWrapAround) {
  const Tensor difference = apply_op("sub", {Tensor::scalar(kMin), Tensor::scalar<int64_t>(1)});
  EXPECT_EQ(difference.data<int64_t>()[0], kMax);
}

TEST(Sub, WorksOnNoElements) {
  EXPECT_EQ(apply_op("sub", {Tensor(DType::f32, {0, 3}), Tensor(DType::f32, {3})}).shape(), (Shape{0, 3}));
}

TEST(Sub, BooleansAreRefused) { EXPECT_NE(refusal("sub", {boolean({2}), boolean({2})}), ""); }

TEST(Neg, RealsAndIntegersChangeSign) {
  EXPECT_EQ(values_of(apply_op("neg", {Tensor::of<double>({2}, {1.5, -2})})), (std::vector<double>{-1.5, 2}));
  EXPECT_TRUE(std::signbit(apply_op("neg", {Tensor::scalar(0.0)}).at(0)));
  const Tensor integers = apply_op("neg", {Tensor::of<int64_t>({2}, {7, kMin})});
  EXPECT_EQ(integers.data<int64_t>()[0], -7);
  EXPECT_EQ(integers.data<int64_t>()[1], kMin);
}

}  // namespace
}  // namespace ascribe::core
