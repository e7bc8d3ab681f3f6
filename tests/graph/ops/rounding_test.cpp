#include <gtest/gtest.h>

#include <cmath>

#include "support/ops.h"

namespace ascribe::core {
namespace {

std::vector<double> of(const std::string& name, const std::vector<double>& x) {
  return values_of(apply_op(name, {Tensor::of<double>({std::ssize(x)}, x)}));
}

TEST(Rounding, GoesItsWay) {
  EXPECT_EQ(of("floor", {-1.5, -0.2, 1.7, 2}), (std::vector<double>{-2, -1, 1, 2}));
  EXPECT_EQ(of("ceil", {-1.5, -0.2, 1.2, 2}), (std::vector<double>{-1, 0, 2, 2}));
  EXPECT_EQ(of("round", {-2.5, -1.5, -0.4, 0.5, 1.5, 2.5, 2.6}), (std::vector<double>{-2, -2, 0, 0, 2, 2, 3}))
      << "halves to even";
  EXPECT_NE(refusal("floor", {integer({2})}), "");
}

TEST(Sign, IsMinusOneZeroOrOneAndKeepsNan) {
  EXPECT_EQ(of("sign", {-3, 0, 0.1, INFINITY}), (std::vector<double>{-1, 0, 1, 1}));
  EXPECT_TRUE(std::isnan(of("sign", {NAN})[0]));
  EXPECT_EQ(values_of(apply_op("sign", {Tensor::of<int64_t>({3}, {INT64_MIN, 0, 5})})),
            (std::vector<double>{-1, 0, 1}));
}

TEST(IsNan, TellsNanFromInfinity) {
  EXPECT_EQ(of("is_nan", {1, NAN, INFINITY}), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(infer_op("is_nan", {real({kBatch})}), boolean({kBatch}));
  EXPECT_NE(refusal("is_nan", {integer({1})}), "");
}

TEST(IsInf, LooksForTheChosenSigns) {
  const auto is_inf = [](bool positive, bool negative) {
    return values_of(apply_op("is_inf", {Tensor::of<double>({4}, {INFINITY, -INFINITY, NAN, 1e300})},
                              {{"positive", ints({positive})}, {"negative", ints({negative})}}));
  };
  EXPECT_EQ(is_inf(true, true), (std::vector<double>{1, 1, 0, 0}));
  EXPECT_EQ(is_inf(true, false), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(is_inf(false, true), (std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(is_inf(false, false), (std::vector<double>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace ascribe::core
