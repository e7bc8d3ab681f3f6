// Sums over the rows whose bits are set, compiled for what the processor has. Every version adds in the same order, or
// adds integers, so that all of them give the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core {

inline constexpr int64_t kWordsAtOnce = 32;            // of rows whose integers are added up without overflow
inline constexpr int32_t kMostAtOnce = (1 << 20) - 1;  // magnitude of such an integer

struct BitSums {
  // The sum of the values.
  double (*sum)(std::span<const uint64_t> rows, const double* values);
  // values[row] -= amount
  void (*subtract)(std::span<const uint64_t> rows, double amount, double* values);
  // For each of 64 players the sum of the values of rows in which it is present: of those rows whose word of `members`
  // has its bit. At most kWordsAtOnce words of rows.
  void (*of_members)(std::span<const uint64_t> rows, const uint64_t* members, const int32_t* values, int32_t* sums);
};

const BitSums& bit_sums();                   // the best that this processor can run
std::vector<const BitSums*> all_bit_sums();  // that it can run, best first

}  // namespace ascribe::core
