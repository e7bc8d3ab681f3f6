#include "base/student.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

// From printed tables of the t distribution.
TEST(Student, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.30265, 1e-5);
  EXPECT_NEAR(student_quantile(0.95, 5), 2.57058, 1e-5);
  EXPECT_NEAR(student_quantile(0.95, 31), 2.03951, 1e-5);
  EXPECT_NEAR(student_quantile(0.99, 10), 3.16927, 1e-5);
  EXPECT_NEAR(student_quantile(0.95, 1e6), 1.95997, 1e-5);
  EXPECT_NEAR(student_quantile(0.95, std::numeric_limits<double>::infinity()), 1.959964, 1e-6);
  EXPECT_TRUE(std::isinf(student_quantile(0.95, 0))) << "one draw tells nothing about its error";
}

// With one degree of freedom it is Cauchy's distribution: 1/2 + atan(t) / pi.
TEST(Student, WithOneDegreeIsCauchys) {
  for (const double t : {-30.0, -1.0, 0.0, 0.3, 4.0}) {
    EXPECT_NEAR(student_probability(t, 1), 0.5 + std::atan(t) / std::acos(-1.0), 1e-13);
  }
}

}  // namespace
}  // namespace ascribe::core
