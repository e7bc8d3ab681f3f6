// Paired tests against values counted by hand and from published tables.
#include "metrics/paired_tests.h"

#include <cmath>

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

std::vector<double> signs(int64_t above, int64_t below) {
  std::vector<double> result(static_cast<size_t>(above), 1.0);
  result.insert(result.end(), static_cast<size_t>(below), -1.0);
  return result;
}

TEST(SignTest, CountsTheTailsOfTheBinomial) {
  // 2 (1 + 60 + 1770 + 34220 + 487635) / 2^60
  const PairedTest test = sign_test(signs(56, 4));
  EXPECT_EQ(test.count, 60);
  EXPECT_EQ(test.above, 56);
  EXPECT_NEAR(test.p / (2 * 523686.0 / std::pow(2.0, 60)), 1, 1e-12);
  EXPECT_EQ(sign_test(signs(4, 56)).p, test.p);
  EXPECT_NEAR(sign_test(signs(6, 0)).p, 2.0 / 64, 1e-15);
  EXPECT_DOUBLE_EQ(sign_test(signs(5, 5)).p, 1);
}

TEST(SignTest, LeavesOutDifferencesOfZero) {
  const std::vector<double> some = {0, 1, 2, 0, 3, 0.5};
  EXPECT_EQ(sign_test(some).count, 4);
  EXPECT_NEAR(sign_test(some).p, 2.0 / 16, 1e-15);
  const std::vector<double> none = {0, 0};
  EXPECT_EQ(sign_test(none).p, 1);
  EXPECT_EQ(signed_rank_test(none).p, 1);
}

TEST(SignedRankTest, IsExactForFewDifferences) {
  const std::vector<double> all_above = {1, 2, 3, 4, 5};
  EXPECT_NEAR(signed_rank_test(all_above).p, 2.0 / 32, 1e-15);
  // Ten differences with a rank sum of 8 on one side: Wilcoxon's table has 8 as the 5 % point. 25 subsets of the ranks
  // 1 to 10 sum to 8 or less (1, 1, 1, 2, 2, 3, 4, 5 and 6 of them for the sums 0 to 8).
  const std::vector<double> ten = {-1, 2, 3, 4, 5, 6, -7, 8, 9, 10};
  EXPECT_NEAR(signed_rank_test(ten).p, 2 * 25.0 / 1024, 1e-15);
  EXPECT_EQ(signed_rank_test(ten).above, 8);
}

TEST(SignedRankTest, TiesShareTheirRank) {
  // Sizes 1, 1, 2: ranks 1.5, 1.5, 3. Below: 1.5. Sums of at most 1.5 among the 8: 0, 1.5, 1.5.
  const std::vector<double> tied = {-1, 1, 2};
  EXPECT_NEAR(signed_rank_test(tied).p, 2 * 3.0 / 8, 1e-15);
}

// Darwin's maize, Charles Darwin 1876: differences of fifteen pairs in eighths of an inch, ranks in Fisher's and later
// textbooks: W = 24 on the smaller side, two-sided p = 0.0413 exactly counted.
TEST(SignedRankTest, OfDarwinsMaize) {
  const std::vector<double> maize = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
  EXPECT_NEAR(signed_rank_test(maize).p, 0.0413, 0.0001);
}

TEST(SignedRankTest, TheNormalDistributionTakesOverSmoothly) {
  std::vector<double> tilted;
  for (int64_t i = 1; i <= kExactPairs; ++i) tilted.push_back(static_cast<double>(i % 7 < 3 ? -i : i));
  const double exact = signed_rank_test(tilted).p;
  tilted.push_back(0.5);  // the smallest of 201: the approximation, of nearly the same ranks
  EXPECT_GT(exact, 0);
  EXPECT_LT(exact, 0.2);
  EXPECT_NEAR(std::log(signed_rank_test(tilted).p / exact), 0, 0.05);
}

TEST(Holm, MultipliesByTheTestsThatAreLeft) {
  // Holm's procedure on 0.01, 0.04, 0.03, 0.005: 0.02 (4 x 0.005), 0.03 (3 x 0.01), 0.06 (2 x 0.03), 0.06.
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> adjusted = holm_adjusted(p), expected = {0.03, 0.06, 0.06, 0.02};
  for (size_t i = 0; i < p.size(); ++i) EXPECT_DOUBLE_EQ(adjusted[i], expected[i]);
  const std::vector<double> large = {0.9, 0.8};
  EXPECT_EQ(holm_adjusted(large), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

}  // namespace
}  // namespace ascribe::core
