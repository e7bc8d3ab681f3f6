// Sums over the rows whose bits are set, compiled for what the processor has. Every version adds in the same order, or
// adds integers, so that all of them give the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core {

struct BitSums {
  // The sum of the values.
  double (*sum)(std::span<const uint64_t> rows, const double* values);
  // values[row] -= amount
  void (*subtract)(std::span<const uint64_t> rows, double amount, double* values);
  // The sum of the values, which are there for whole words of rows.
  int64_t (*sum_of_bytes)(std::span<const uint64_t> rows, const int8_t* values);
  // Numbers times the scale, which are at most 127 in magnitude, as the nearest integers.
  void (*rounded)(std::span<const double> numbers, double scale, int8_t* values);
  // For each of 64 players the sum of the values of rows in which it is present. Rows are taken by fours, and whether
  // players are present in them is told by 4 words for each four: 16 players a word, with 4 bits each. Values are there
  // for whole words of rows, and no sum of them overflows.
  void (*of_members)(std::span<const uint64_t> rows, const uint64_t* members, const int8_t* values, int32_t* sums);
};

const BitSums& bit_sums();                   // the best that this processor can run
std::vector<const BitSums*> all_bit_sums();  // that it can run, best first

}  // namespace ascribe::core
