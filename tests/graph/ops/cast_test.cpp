#include <gtest/gtest.h>

#include <cmath>

#include "support/ops.h"

namespace ascribe::core {
namespace {

Tensor cast_to(const std::string& kind, const Tensor& x) { return apply_op("cast", {x}, {{"to", kind}}); }

TEST(Cast, RealsAreTruncatedAndSaturated) {
  const Tensor y = cast_to("integer", Tensor::of<double>({5}, {-1.9, 1.9, 1e30, -INFINITY, NAN}));
  const auto values = y.data<int64_t>();
  EXPECT_EQ(std::vector<int64_t>(values.begin(), values.end()),
            (std::vector<int64_t>{-1, 1, INT64_MAX, INT64_MIN, INT64_MIN}));
}

TEST(Cast, BooleansAreZeroAndOne) {
  EXPECT_EQ(values_of(cast_to("boolean", Tensor::of<double>({3}, {0, 0.5, NAN}))), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(values_of(cast_to("real", Tensor::of<uint8_t>({2}, {0, 1}))), (std::vector<double>{0, 1}));
  EXPECT_EQ(cast_to("integer", Tensor::scalar<uint8_t>(1)).dtype(), DType::i64);
}

TEST(Cast, UnknownKindsAreRefused) { EXPECT_NE(refusal("cast", {real({2})}, {{"to", std::string("float")}}), ""); }

}  // namespace
}  // namespace ascribe::core
