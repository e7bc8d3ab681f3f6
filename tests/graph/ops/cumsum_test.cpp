#include <gtest/gtest.h>

#include "support/ops.h"

namespace ascribe::core {
namespace {

Attributes running(int64_t axis, bool exclusive, bool reverse) {
  return {{"axis", ints({axis})}, {"exclusive", ints({exclusive})}, {"reverse", ints({reverse})}};
}

TEST(Cumsum, RunsForwardsAndBackwards) {
  const auto of = [](bool exclusive, bool reverse) {
    return values_of(apply_op("cumsum", {Tensor::of<double>({3}, {1, 2, 4})}, running(0, exclusive, reverse)));
  };
  EXPECT_EQ(of(false, false), (std::vector<double>{1, 3, 7}));
  EXPECT_EQ(of(true, false), (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(of(false, true), (std::vector<double>{7, 6, 4}));
  EXPECT_EQ(of(true, true), (std::vector<double>{6, 4, 0}));
}

TEST(Cumsum, RunsAlongItsAxisOnly) {
  const Tensor x = Tensor::of<int64_t>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(values_of(apply_op("cumsum", {x}, running(1, false, false))),
            (std::vector<double>{1, 2, 4, 6, 5, 6, 12, 14}));
}

TEST(Cumsum, EmptyOperandsAndWrongAxes) {
  EXPECT_EQ(apply_op("cumsum", {Tensor(DType::f64, {2, 0})}, running(1, false, false)).shape(), (Shape{2, 0}));
  EXPECT_NE(refusal("cumsum", {real({2})}, running(1, false, false)), "");
  EXPECT_NE(refusal("cumsum", {real({})}, running(0, false, false)), "");
  EXPECT_NE(refusal("cumsum", {boolean({2})}, running(0, false, false)), "");
}

}  // namespace
}  // namespace ascribe::core
