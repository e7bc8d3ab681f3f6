// Sums over rows that are bits, in every version that this processor can run, against one loop over the rows.
#include "game/sparse/bit_sums.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.h"

namespace ascribe::core {
namespace {

struct Case {
  std::vector<uint64_t> rows;
  std::vector<double> values;
  std::vector<int8_t> integers;   // of whole words of rows
  std::vector<uint64_t> present;  // of each row: a bit for each of 64 players
  std::vector<uint64_t> members;  // the same, as sums of members want it
};

// The last word is not full, and no number is stored behind its rows. Every third word is empty.
Case drawn(int64_t rows) {
  const Random random(11, static_cast<uint64_t>(rows));
  Case made;
  for (int64_t row = 0; row < rows; ++row) {
    const auto i = static_cast<uint64_t>(row);
    if (row % 64 == 0) made.rows.push_back(0);
    if (random.normal(3 * i) > 0 && row / 64 % 3 != 1) made.rows.back() |= uint64_t{1} << row % 64;
    made.values.push_back(random.normal(3 * i + 1));
    made.integers.push_back(static_cast<int8_t>(std::clamp(50 * random.normal(3 * i + 2), -127.0, 127.0)));
    made.present.push_back(i * 0x9E3779B97F4A7C15 ^ ~i << 40);
  }
  made.integers.resize(made.rows.size() * 64, 77);
  made.members.resize(made.rows.size() * 64);
  for (size_t row = 0; row < made.present.size(); ++row) {
    for (size_t p = 0; p < 64; ++p) {
      made.members[row / 4 * 4 + p / 16] |= (made.present[row] >> p & 1) << (p % 16 * 4 + row % 4);
    }
  }
  return made;
}

bool has(const std::vector<uint64_t>& rows, size_t row) { return (rows[row / 64] >> row % 64 & 1) != 0; }

TEST(BitSums, AreThoseOfALoopOverRows) {
  for (const int64_t rows : {1, 7, 63, 64, 65, 200, 777, 2048}) {
    const Case one = drawn(rows);
    double sum = 0;
    int64_t integers = 0;
    std::vector<double> less = one.values;
    std::vector<int32_t> members(64);
    for (size_t row = 0; row < one.values.size(); ++row) {
      if (!has(one.rows, row)) continue;
      sum += one.values[row];
      less[row] -= 0.1;
      integers += one.integers[row];
      for (size_t p = 0; p < 64; ++p) members[p] += (one.present[row] >> p & 1) != 0 ? one.integers[row] : 0;
    }
    for (const BitSums* sums : all_bit_sums()) {
      EXPECT_NEAR(sums->sum(one.rows, one.values.data()), sum, 1e-11);
      std::vector<double> values = one.values;
      sums->subtract(one.rows, 0.1, values.data());
      EXPECT_EQ(values, less);
      EXPECT_EQ(sums->sum_of_bytes(one.rows, one.integers.data()), integers);
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

// A half becomes the even one of its neighbours.
TEST(BitSums, RoundToTheNearestInteger) {
  std::vector<double> numbers = {126.999, -127, 0.5, 1.5, -0.5, 0.4999999, -2.5, 3.501, 0};
  std::vector<int8_t> nearest = {127, -127, 0, 2, 0, 0, -2, 4, 0};
  for (int i = 0; i < 40; ++i) {  // every version takes several at once
    numbers.push_back(i % 2 == 0 ? i - 0.25 : i + 0.5);
    nearest.push_back(static_cast<int8_t>(i % 2 == 0 ? i : i + 1));
  }
  for (double& one : numbers) one /= 4;
  for (const BitSums* sums : all_bit_sums()) {
    std::vector<int8_t> found(numbers.size(), 99);
    sums->rounded(numbers, 4, found.data());
    EXPECT_EQ(found, nearest);
  }
}

// All of them the largest: what is added up in 16 bits must hold it.
TEST(BitSums, OfTheLargestBytesAreRight) {
  for (const int8_t value : {-127, 127}) {
    const std::vector<uint64_t> rows(50, ~uint64_t{0}), members(50 * 64, ~uint64_t{0});
    const std::vector<int8_t> values(rows.size() * 64, value);
    for (const BitSums* sums : all_bit_sums()) {
      EXPECT_EQ(sums->sum_of_bytes(rows, values.data()), value * 3200);
      std::vector<int32_t> found(64, 99);
      sums->of_members(rows, members.data(), values.data(), found.data());
      EXPECT_EQ(found, std::vector<int32_t>(64, value * 3200));
    }
  }
}

TEST(BitSums, OverNoRowsAreNothing) {
  for (const BitSums* sums : all_bit_sums()) {
    EXPECT_EQ(sums->sum({}, nullptr), 0);
    EXPECT_EQ(sums->sum_of_bytes({}, nullptr), 0);
    std::vector<int32_t> found(64, 99);
    sums->of_members({}, nullptr, nullptr, found.data());
    EXPECT_EQ(found, std::vector<int32_t>(64));
  }
}

}  // namespace
}  // namespace ascribe::core
