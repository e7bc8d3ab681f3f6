// Sums over rows that are bits, in every version that this processor can run, against one loop over the rows.
#include "game/sparse/bit_sums.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ascribe::core {
namespace {

struct Case {
  std::vector<uint64_t> rows, members;
  std::vector<double> values;
  std::vector<int32_t> integers;
};

// The last word is not full, and nothing is stored behind its rows. Every third word is empty.
Case drawn(int64_t rows) {
  const Random random(11, static_cast<uint64_t>(rows));
  Case made;
  for (int64_t row = 0; row < rows; ++row) {
    const auto i = static_cast<uint64_t>(row);
    if (row % 64 == 0) made.rows.push_back(0);
    if (random.normal(3 * i) > 0 && row / 64 % 3 != 1) made.rows.back() |= uint64_t{1} << row % 64;
    made.values.push_back(random.normal(3 * i + 1));
    made.integers.push_back(static_cast<int32_t>(1000 * random.normal(3 * i + 2)));
    made.members.push_back(i * 0x9E3779B97F4A7C15 ^ ~i << 40);
  }
  return made;
}

bool has(const std::vector<uint64_t>& rows, size_t row) { return (rows[row / 64] >> row % 64 & 1) != 0; }

TEST(BitSums, AreThoseOfALoopOverRows) {
  for (const int64_t rows : {1, 7, 63, 64, 65, 200, 777, 2048}) {
    const Case one = drawn(rows);
    double sum = 0;
    std::vector<double> less = one.values;
    std::vector<int32_t> members(64);
    for (size_t row = 0; row < one.values.size(); ++row) {
      if (!has(one.rows, row)) continue;
      sum += one.values[row];
      less[row] -= 0.1;
      for (size_t p = 0; p < 64; ++p) members[p] += (one.members[row] >> p & 1) != 0 ? one.integers[row] : 0;
    }
    for (const BitSums* sums : all_bit_sums()) {
      EXPECT_NEAR(sums->sum(one.rows, one.values.data()), sum, 1e-11);
      std::vector<double> values = one.values;
      sums->subtract(one.rows, 0.1, values.data());
      EXPECT_EQ(values, less);
      std::vector<int32_t> found(64, 99);
      sums->of_members(one.rows, one.members.data(), one.integers.data(), found.data());
      EXPECT_EQ(found, members) << rows;
    }
  }
}

TEST(BitSums, AreTheSameBitsInEveryVersion) {
  const Case one = drawn(1500);
  const double plain = all_bit_sums().back()->sum(one.rows, one.values.data());
  for (const BitSums* sums : all_bit_sums()) EXPECT_EQ(sums->sum(one.rows, one.values.data()), plain);
}

TEST(BitSums, OverNoRowsAreNothing) {
  for (const BitSums* sums : all_bit_sums()) {
    EXPECT_EQ(sums->sum({}, nullptr), 0);
    std::vector<int32_t> found(64, 99);
    sums->of_members({}, nullptr, nullptr, found.data());
    EXPECT_EQ(found, std::vector<int32_t>(64));
  }
}

}  // namespace
}  // namespace ascribe::core
