#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ascribe::core {
namespace {

using Block = std::array<uint32_t, 4>;

// The known answers that the authors of Philox publish with their library.
TEST(Random, GivesTheKnownAnswersOfPhilox) {
  EXPECT_EQ(Random(0, 0).block(0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Random(~uint64_t{0}, ~uint64_t{0}).block(~uint64_t{0}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Random(0x299f31d0a4093822, 0x0370734413198a2e).block(0x85a308d3243f6a88),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, UniformsFillTheUnitInterval) {
  const Random random(1);
  double sum = 0, smallest = 1, largest = 0;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    const double u = random.uniform(i);
    sum += u;
    smallest = std::min(smallest, u);
    largest = std::max(largest, u);
  }
  EXPECT_GE(smallest, 0);
  EXPECT_LT(largest, 1);
  EXPECT_LT(smallest, 0.001);
  EXPECT_GT(largest, 0.999);
  EXPECT_NEAR(sum / count, 0.5, 0.01);
}

TEST(Random, NormalsHaveTheRightMoments) {
  const Random random(2);
  double sum = 0, squares = 0, fourth = 0;
  const int count = 40000;
  for (int i = 0; i < count; ++i) {
    const double z = random.normal(i);
    ASSERT_TRUE(std::isfinite(z));
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  EXPECT_NEAR(sum / count, 0, 0.03);
  EXPECT_NEAR(squares / count, 1, 0.04);
  EXPECT_NEAR(fourth / count, 3, 0.25);
}

TEST(Random, BelowReachesEveryNumberEquallyOften) {
  const Random random(3);
  std::array<int, 7> counts{};
  for (int i = 0; i < 7000; ++i) ++counts.at(random.below(i, 7));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.below(5, 1), 0U);
}

TEST(Random, PermutationsHoldEveryIndexOnceAndDiffer) {
  const Random random(4);
  auto order = random.permutation(0, 50);
  EXPECT_EQ(order, Random(4).permutation(0, 50)) << "a pure function of seed and index";
  EXPECT_NE(order, random.permutation(1, 50));
  EXPECT_NE(order, Random(5).permutation(0, 50));
  std::sort(order.begin(), order.end());
  for (int64_t i = 0; i < 50; ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(random.permutation(0, 0).empty());
}

TEST(Random, PermutationsPutEveryElementEverywhere) {
  const Random random(6);
  std::array<std::array<int, 3>, 3> counts{};
  for (int i = 0; i < 3000; ++i) {
    const auto order = random.permutation(i, 3);
    for (int place = 0; place < 3; ++place) ++counts[place][order[place]];
  }
  for (const auto& place : counts) {
    for (const int count : place) EXPECT_NEAR(count, 1000, 130);
  }
}

TEST(Random, StreamsAreIndependentOfEachOther) { EXPECT_NE(Random(1, 0).block(0), Random(1, 1).block(0)); }

}  // namespace
}  // namespace ascribe::core
