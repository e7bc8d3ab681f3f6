#include "game/sparse/bit_sums.h"

#include <algorithm>
#include <array>

#include "game/sparse/samples.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ascribe::core {

namespace {

constexpr size_t kLanes = 64;  // sums of a row's place in its word, which are added up at last

template <size_t lanes_left>
double of_lanes(std::array<double, lanes_left>& lanes) {
  for (size_t half = lanes_left / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] += lanes[half + i];
  }
  return lanes[0];
}

double plain_sum(std::span<const uint64_t> rows, const double* values) {
  std::array<double, kLanes> lanes{};
  for_bits(rows, 0, [&](int64_t row) { lanes[static_cast<size_t>(row % 64)] += values[row]; });
  return of_lanes(lanes);
}

void plain_subtract(std::span<const uint64_t> rows, double amount, double* values) {
  for_bits(rows, 0, [&](int64_t row) { values[row] -= amount; });
}

// A row's value is added to one of 256 sums for each eight players, that of their bits, and the players' sums are
// folded out of the 256 at last: one addition instead of eight.
void plain_of_members(std::span<const uint64_t> rows, const uint64_t* members, const int32_t* values, int32_t* sums) {
  std::array<std::array<int32_t, 256>, 8> tables{};
  for_bits(rows, 0, [&](int64_t row) {
    for (size_t g = 0; g < 8; ++g) tables[g][members[row] >> 8 * g & 0xFF] += values[row];
  });
  for (size_t p = 64; p-- > 0;) {  // halves are folded onto each other
    auto& table = tables[p / 8];
    const size_t half = size_t{1} << p % 8;
    sums[p] = 0;
    for (size_t i = 0; i < half; ++i) {
      sums[p] += table[half + i];
      table[i] += table[half + i];
    }
  }
}

constexpr BitSums kPlain = {plain_sum, plain_subtract, plain_of_members};

#if defined(__x86_64__)

__attribute__((target("avx2"))) void avx2_of_members(std::span<const uint64_t> rows, const uint64_t* members,
                                                     const int32_t* values, int32_t* sums) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  __m256i totals[8];
  for (__m256i& total : totals) total = _mm256_setzero_si256();
  for (size_t w = 0; w < rows.size(); ++w) {
    for (uint64_t left = rows[w]; left != 0; left &= left - 1) {
      const size_t row = w * 64 + static_cast<size_t>(__builtin_ctzll(left));
      const __m256i value = _mm256_set1_epi32(values[row]);
      for (size_t g = 0; g < 8; ++g) {
        const __m256i own = _mm256_set1_epi32(static_cast<int>(members[row] >> 8 * g));
        const __m256i present = _mm256_cmpeq_epi32(_mm256_and_si256(own, bits), bits);
        totals[g] = _mm256_add_epi32(totals[g], _mm256_and_si256(present, value));
      }
    }
  }
  for (size_t g = 0; g < 8; ++g) _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 8 * g), totals[g]);
}

constexpr BitSums kAvx2 = {plain_sum, plain_subtract, avx2_of_members};

__attribute__((target("avx512f"))) double avx512_sum(std::span<const uint64_t> rows, const double* values) {
  __m512d totals[8];
  for (__m512d& total : totals) total = _mm512_setzero_pd();
  for (size_t w = 0; w < rows.size(); ++w) {
    if (rows[w] == 0) continue;
    for (size_t g = 0; g < 8; ++g) {  // rows of other bits are not read
      const __m512d own = _mm512_maskz_loadu_pd(static_cast<__mmask8>(rows[w] >> 8 * g), values + w * 64 + 8 * g);
      totals[g] = _mm512_add_pd(totals[g], own);
    }
  }
  for (size_t half = 4; half > 0; half /= 2) {  // as of_lanes does it
    for (size_t g = 0; g < half; ++g) totals[g] = _mm512_add_pd(totals[g], totals[half + g]);
  }
  std::array<double, 8> lanes;
  _mm512_storeu_pd(lanes.data(), totals[0]);
  return of_lanes(lanes);
}

__attribute__((target("avx512f"))) void avx512_subtract(std::span<const uint64_t> rows, double amount, double* values) {
  const __m512d less = _mm512_set1_pd(amount);
  for (size_t w = 0; w < rows.size(); ++w) {
    if (rows[w] == 0) continue;
    for (size_t g = 0; g < 8; ++g) {
      const auto counts = static_cast<__mmask8>(rows[w] >> 8 * g);
      double* own = values + w * 64 + 8 * g;
      _mm512_mask_storeu_pd(own, counts, _mm512_sub_pd(_mm512_maskz_loadu_pd(counts, own), less));
    }
  }
}

__attribute__((target("avx512f"))) void avx512_of_members(std::span<const uint64_t> rows, const uint64_t* members,
                                                          const int32_t* values, int32_t* sums) {
  __m512i totals[4];
  for (__m512i& total : totals) total = _mm512_setzero_si512();
  for (size_t w = 0; w < rows.size(); ++w) {
    for (uint64_t left = rows[w]; left != 0; left &= left - 1) {
      const size_t row = w * 64 + static_cast<size_t>(__builtin_ctzll(left));
      const __m512i value = _mm512_set1_epi32(values[row]);
      for (size_t g = 0; g < 4; ++g) {
        totals[g] = _mm512_mask_add_epi32(totals[g], static_cast<__mmask16>(members[row] >> 16 * g), totals[g], value);
      }
    }
  }
  for (size_t g = 0; g < 4; ++g) _mm512_storeu_si512(sums + 16 * g, totals[g]);
}

constexpr BitSums kAvx512 = {avx512_sum, avx512_subtract, avx512_of_members};

#endif

}  // namespace

std::vector<const BitSums*> all_bit_sums() {
  std::vector<const BitSums*> all;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) all.push_back(&kAvx512);
  if (__builtin_cpu_supports("avx2")) all.push_back(&kAvx2);
#endif
  all.push_back(&kPlain);
  return all;
}

const BitSums& bit_sums() {
  static const BitSums& sums = *all_bit_sums().front();
  return sums;
}

}  // namespace ascribe::core
