#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.h"
#include "support/ops.h"

namespace ascribe::core {
namespace {

template <class T>
double mod(T a, T b, bool fmod) {
  return apply_op("mod", {Tensor::scalar<T>(a), Tensor::scalar<T>(b)}, {{"fmod", ints({fmod})}}).at(0);
}

TEST(Mod, TakesTheSignOfTheDivisor) {
  EXPECT_EQ(mod<int64_t>(7, 3, false), 1);
  EXPECT_EQ(mod<int64_t>(-7, 3, false), 2);
  EXPECT_EQ(mod<int64_t>(7, -3, false), -2);
  EXPECT_EQ(mod<int64_t>(-6, 3, false), 0);
  EXPECT_EQ(mod<double>(-5.5, 2, false), 0.5);
}

TEST(Mod, OrThatOfTheDividend) {
  EXPECT_EQ(mod<int64_t>(-7, 3, true), -1);
  EXPECT_EQ(mod<int64_t>(7, -3, true), 1);
  EXPECT_EQ(mod<double>(-5.5, 2, true), -1.5);
}

TEST(Mod, TheExtremeIntegersAreSafe) {
  EXPECT_EQ(mod<int64_t>(INT64_MIN, -1, false), 0);
  EXPECT_EQ(mod<int64_t>(INT64_MIN, -1, true), 0);
  EXPECT_EQ(mod<int64_t>(INT64_MIN, INT64_MAX, false), static_cast<double>(INT64_MAX - 1));
}

TEST(Mod, ByZeroIsAnErrorForIntegersAndNanForReals) {
  expect_error(ErrorKind::model, "divided by 0", [] { mod<int64_t>(1, 0, false); });
  EXPECT_TRUE(std::isnan(mod<double>(1, 0, true)));
}

}  // namespace
}  // namespace ascribe::core
