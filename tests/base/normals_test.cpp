#include "base/normals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ascribe::core {
namespace {

std::vector<float> row_of(const Normals& normals, uint64_t row, size_t size) {
  std::vector<float> places(size);
  normals.fill(row, places);
  return places;
}

TEST(Normals, HaveTheRightMomentsAndTails) {
  const std::vector<float> z = row_of(Normals(Random(3)), 0, 1 << 20);
  const auto count = static_cast<double>(z.size());
  double sum = 0, squares = 0, fourth = 0, products = 0, beyond_one = 0, beyond_four = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    ASSERT_TRUE(std::isfinite(z[i]));
    ASSERT_LT(std::abs(z[i]), 6.8F);
    const double one = z[i];
    sum += one;
    squares += one * one;
    fourth += one * one * one * one;
    products += one * static_cast<double>(z[(i + 16) % z.size()]);  // the sine beside the cosine
    beyond_one += std::abs(one) > 1 ? 1 : 0;
    beyond_four += std::abs(one) > 4 ? 1 : 0;
  }
  // Five standard errors of each.
  EXPECT_NEAR(sum / count, 0, 5 / 1024.0);
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2.0) / 1024);
  EXPECT_NEAR(fourth / count, 3, 5 * std::sqrt(96.0) / 1024);
  EXPECT_NEAR(products / count, 0, 5 / 1024.0);
  EXPECT_NEAR(beyond_one / count, std::erfc(1 / std::sqrt(2.0)), 5 * 0.47 / 1024);
  EXPECT_NEAR(beyond_four, count * std::erfc(4 / std::sqrt(2.0)), 5 * std::sqrt(count * 6.3e-5));
}

// Against the definition in double: the words of Philox, the radius of one and the angle of the next.
TEST(Normals, AreBoxMullerOfPhilox) {
  const Random random(11, 5);
  const auto key = random.block(~uint64_t{0});
  const uint64_t row = 9;
  const std::vector<float> z = row_of(Normals(random), row, 1000);
  for (const uint64_t lane : {0, 1, 15}) {
    for (const uint64_t chunk : {0, 3}) {
      const auto words = Random(uint64_t{key[1]} << 32 | key[0], row).block(chunk * 16 + lane);
      for (const size_t half : {0, 1}) {
        const double r = std::sqrt(-2 * std::log((words[2 * half] + 0.5) * 0x1p-32));
        // The place within a quarter is signed: its middle is the multiple of a quarter turn.
        const uint32_t word = words[2 * half + 1];
        const double quarter = word >> 30, within = static_cast<double>(static_cast<int32_t>(word << 2)) * 0x1p-32;
        const double angle = (quarter + within) * std::acos(-1.0) / 2;
        const size_t at = chunk * 64 + half * 32 + lane;
        EXPECT_NEAR(z[at], r * std::cos(angle), 2e-6);
        EXPECT_NEAR(z[at + 16], r * std::sin(angle), 2e-6);
      }
    }
  }
}

TEST(Normals, DoNotDependOnHowManyAreAskedFor) {
  const Normals normals(Random(1, 2));
  const std::vector<float> all = row_of(normals, 7, 700);
  for (const size_t size : {0, 1, 63, 256, 257, 699}) {
    const std::vector<float> some = row_of(normals, 7, size);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
  }
  EXPECT_NE(row_of(normals, 8, 10), row_of(normals, 7, 10));
  EXPECT_NE(row_of(Normals(Random(1, 3)), 7, 10), row_of(normals, 7, 10));
}

}  // namespace
}  // namespace ascribe::core
