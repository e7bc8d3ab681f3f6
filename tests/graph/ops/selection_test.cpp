#include <cmath>
#include <limits>

#include "support/ops.h"

namespace ascribe::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

const Tensor kSigned = Tensor::of<double>({5}, {-2, -0.5, 0, 0.5, 3});

Attributes bounds(double low, double high) { return {{"min", reals({low})}, {"max", reals({high})}}; }

TEST(Relu, CutsNegativeValuesAndKeepsNaN) {
  EXPECT_EQ(values_of(apply_op("relu", {kSigned})), (std::vector<double>{0, 0, 0, 0.5, 3}));
  EXPECT_TRUE(std::isnan(apply_op("relu", {Tensor::scalar(kNaN)}).at(0)));
  EXPECT_EQ(apply_op("relu", {Tensor::of<int64_t>({2}, {-7, 7})}).at(0), 0);
}

TEST(LeakyRelu, ScalesNegativeValues) {
  const Attributes alpha = {{"alpha", reals({0.25})}};
  EXPECT_EQ(values_of(apply_op("leaky_relu", {kSigned}, alpha)), (std::vector<double>{-0.5, -0.125, 0, 0.5, 3}));
  EXPECT_NE(refusal("leaky_relu", {integer({2})}, alpha), "");
}

TEST(Clip, KeepsValuesBetweenTheBounds) {
  EXPECT_EQ(values_of(apply_op("clip", {kSigned}, bounds(-1, 1))), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(values_of(apply_op("clip", {kSigned}, bounds(-kInfinity, 0))), (std::vector<double>{-2, -0.5, 0, 0, 0}));
  EXPECT_TRUE(std::isnan(apply_op("clip", {Tensor::scalar(kNaN)}, bounds(0, 1)).at(0)));
}

TEST(Clip, TheUpperBoundWinsWhereTheBoundsCross) {
  EXPECT_EQ(values_of(apply_op("clip", {kSigned}, bounds(2, 1))), (std::vector<double>(5, 1.0)));
}

TEST(Clip, InfiniteBoundsLeaveTheLargestIntegersAlone) {
  const Tensor x = Tensor::of<int64_t>({3}, {kSmallest, 5, kLargest});
  const Tensor open = apply_op("clip", {x}, bounds(-kInfinity, kInfinity));
  EXPECT_EQ(open.data<int64_t>()[0], kSmallest);
  EXPECT_EQ(open.data<int64_t>()[2], kLargest);
  const Tensor half_open = apply_op("clip", {x}, bounds(-3, kInfinity));
  EXPECT_EQ(half_open.data<int64_t>()[0], -3);
  EXPECT_EQ(half_open.data<int64_t>()[2], kLargest);
}

TEST(Clip, RefusesBoundsThatAreNotNumbersAndBooleans) {
  EXPECT_NE(refusal("clip", {real({2})}, bounds(kNaN, 1)), "");
  EXPECT_NE(refusal("clip", {boolean({2})}, bounds(0, 1)), "");
}

TEST(Abs, IsDefinedForRealsAndIntegers) {
  EXPECT_EQ(values_of(apply_op("abs", {kSigned})), (std::vector<double>{2, 0.5, 0, 0.5, 3}));
  const Tensor integers = apply_op("abs", {Tensor::of<int64_t>({3}, {-4, 4, kSmallest})});
  EXPECT_EQ(integers.data<int64_t>()[0], 4);
  EXPECT_EQ(integers.data<int64_t>()[2], kSmallest) << "wraps around, as two's complement does";
}

TEST(MaximumMinimum, BroadcastAndPropagateNaNFromEitherSide) {
  const Tensor a = Tensor::of<double>({2, 1}, {1, kNaN});
  const Tensor b = Tensor::of<double>({3}, {0, 2, kNaN});
  const Tensor larger = apply_op("maximum", {a, b});
  const Tensor smaller = apply_op("minimum", {a, b});
  EXPECT_EQ(larger.shape(), (Shape{2, 3}));
  EXPECT_EQ(larger.at(0), 1);
  EXPECT_EQ(larger.at(1), 2);
  EXPECT_EQ(smaller.at(0), 0);
  EXPECT_EQ(smaller.at(1), 1);
  for (const int64_t i : {2, 3, 4, 5}) {
    EXPECT_TRUE(std::isnan(larger.at(i))) << i;
    EXPECT_TRUE(std::isnan(smaller.at(i))) << i;
  }
}

TEST(MaximumMinimum, CompareLargeIntegersExactly) {
  const Tensor a = Tensor::scalar(kLargest), b = Tensor::scalar(kLargest - 1);
  EXPECT_EQ(apply_op("maximum", {b, a}).data<int64_t>()[0], kLargest);
  EXPECT_EQ(apply_op("minimum", {a, b}).data<int64_t>()[0], kLargest - 1);
}

TEST(MaximumMinimum, RefuseMixedKindsAndBooleans) {
  for (const char* op : {"maximum", "minimum"}) {
    EXPECT_NE(refusal(op, {real({2}), integer({2})}), "") << op;
    EXPECT_NE(refusal(op, {boolean({2}), boolean({2})}), "") << op;
  }
}

}  // namespace
}  // namespace ascribe::core
