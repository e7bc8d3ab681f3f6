#include "base/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ascribe::core {
namespace {

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum.value();
}

TEST(ExactSum, OfNothingIsZero) { EXPECT_EQ(sum_of({}), 0.0); }

TEST(ExactSum, KeepsWhatCancellationWouldLose) {
  EXPECT_EQ(sum_of({1, 1e100, 1, -1e100}), 2.0);
  EXPECT_EQ(sum_of({0x1p-1074, 0x1p1000, -0x1p1000}), 0x1p-1074);
  EXPECT_EQ(sum_of({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}), 1.0);
}

// 1 + 2^-53 lies between two doubles and goes to the even one; anything more goes up, anything less goes down.
TEST(ExactSum, IsRoundedOnceAndToEven) {
  EXPECT_EQ(sum_of({1, 0x1p-53}), 1.0);
  EXPECT_EQ(sum_of({1, 0x1p-53, 0x1p-200}), 1 + 0x1p-52);
  EXPECT_EQ(sum_of({1, 0x1p-53, -0x1p-200}), 1.0);
  EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53, -0x1p-200}), 1 + 0x1p-52);
  EXPECT_EQ(sum_of({-1, -0x1p-53, -0x1p-200}), -1 - 0x1p-52);
}

// Terms that are multiples of 2^-60 below 2: their sum is a whole number of 2^-60, which 128 bits hold.
TEST(ExactSum, IsTheSumOfWholeNumbers) {
  const Random random(3);
  for (uint64_t round = 0; round < 50; ++round) {
    ExactSum sum;
    __int128 whole = 0;
    for (uint64_t i = 0; i < 400; ++i) {
      const auto bits = static_cast<int64_t>(random.below(round * 1000 + i, uint64_t{1} << 53));
      const int64_t sign = random.below(round * 1000 + i + 500, 2) == 0 ? 1 : -1;
      const int shift = static_cast<int>(random.below(round * 1000 + i + 50000, 8));
      sum.add(static_cast<double>(sign) * std::ldexp(static_cast<double>(bits), shift - 60));
      whole += static_cast<__int128>(sign * bits) << shift;
    }
    EXPECT_EQ(sum.value(), std::ldexp(static_cast<double>(whole), -60)) << round;
  }
}

TEST(ExactSum, DoesNotDependOnTheOrderOfItsTerms) {
  const Random random(7);
  std::vector<double> terms;
  for (uint64_t i = 0; i < 1000; ++i) {
    terms.push_back(random.normal(i) * std::exp2(60 * random.normal(i + 5000)));
  }
  const double expected = sum_of(terms);
  for (uint64_t round = 0; round < 20; ++round) {
    std::vector<double> other;
    for (const int64_t i : random.permutation(100 + round, std::ssize(terms))) {
      other.push_back(terms[static_cast<size_t>(i)]);
    }
    EXPECT_EQ(sum_of(other), expected);
    ExactSum first, second;
    for (size_t i = 0; i < other.size(); ++i) (i < 37 * round ? first : second).add(other[i]);
    first.add(second);
    EXPECT_EQ(first.value(), expected);
  }
}

}  // namespace
}  // namespace ascribe::core
