#include "game/sparse/bit_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "game/sparse/samples.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ascribe::core {

namespace {

constexpr size_t kPlayers = 64;
constexpr size_t kFours = 16;  // fours of rows in a word
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

int64_t plain_sum_of_bytes(std::span<const uint64_t> rows, const int8_t* values) {
  int64_t total = 0;
  for_bits(rows, 0, [&](int64_t row) { total += values[row]; });
  return total;
}

void plain_rounded(std::span<const double> numbers, double scale, int8_t* values) {
  for (size_t i = 0; i < numbers.size(); ++i) values[i] = static_cast<int8_t>(std::nearbyint(numbers[i] * scale));
}

// The four values are summed up in all 16 ways, of which each player has one.
void plain_of_members(std::span<const uint64_t> rows, const uint64_t* members, const int8_t* values, int32_t* sums) {
  std::fill_n(sums, kPlayers, 0);
  for (size_t four = 0; four < rows.size() * kFours; ++four) {
    const uint64_t own = rows[four / kFours] >> four % kFours * 4 & 0xF;
    if (own == 0) continue;
    std::array<int32_t, 16> parts{};
    for (size_t part = 1; part < 16; ++part) {
      const auto lowest = static_cast<size_t>(__builtin_ctzll(part));
      parts[part] = parts[part & (part - 1)] + ((own >> lowest & 1) != 0 ? values[four * 4 + lowest] : 0);
    }
    for (size_t p = 0; p < kPlayers; ++p) sums[p] += parts[members[four * 4 + p / 16] >> p % 16 * 4 & 0xF];
  }
}

constexpr BitSums kPlain = {plain_sum, plain_subtract, plain_sum_of_bytes, plain_rounded, plain_of_members};

#if defined(__x86_64__)

// A byte for each bit.
__attribute__((target("avx2"))) __m256i avx2_bytes(uint64_t which) {
  const __m256i bits = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
  const __m256i places = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i all = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(which)), places);
  return _mm256_cmpeq_epi8(_mm256_and_si256(all, bits), bits);
}

__attribute__((target("avx2"))) void avx2_of_members(std::span<const uint64_t> rows, const uint64_t* members,
                                                     const int8_t* values, int32_t* sums) {
  const __m256i ones = _mm256_set1_epi8(1), pairs = _mm256_set1_epi16(1);
  __m256i totals[8];
  for (__m256i& total : totals) total = _mm256_setzero_si256();
  for (size_t w = 0; w < rows.size(); ++w) {
    for (size_t half = 0; half < 2; ++half) {
      const auto own = static_cast<uint32_t>(rows[w] >> 32 * half);
      if (own == 0) continue;
      alignas(32) std::array<int32_t, kFours / 2> fours;
      const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + w * 64 + half * 32));
      _mm256_store_si256(reinterpret_cast<__m256i*>(fours.data()), _mm256_and_si256(all, avx2_bytes(own)));
      for (size_t i = 0; i < fours.size(); ++i) {
        if (fours[i] == 0) continue;
        const __m256i four = _mm256_set1_epi32(fours[i]);
        const uint64_t* present = members + ((w * 2 + half) * fours.size() + i) * 4;
        for (size_t g = 0; g < 8; ++g) {
          const __m256i here = avx2_bytes(present[g / 2] >> g % 2 * 32);
          const __m256i sum = _mm256_madd_epi16(_mm256_maddubs_epi16(ones, _mm256_and_si256(four, here)), pairs);
          totals[g] = _mm256_add_epi32(totals[g], sum);
        }
      }
    }
  }
  for (size_t g = 0; g < 8; ++g) _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 8 * g), totals[g]);
}

__attribute__((target("avx2"))) int64_t avx2_sum_of_bytes(std::span<const uint64_t> rows, const int8_t* values) {
  const __m256i ones = _mm256_set1_epi8(1), pairs = _mm256_set1_epi16(1);
  __m256i total = _mm256_setzero_si256();  // which the values are too small to overflow
  for (size_t half = 0; half < 2 * rows.size(); ++half) {
    const auto own = static_cast<uint32_t>(rows[half / 2] >> half % 2 * 32);
    if (own == 0) continue;
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + half * 32));
    const __m256i sum = _mm256_maddubs_epi16(ones, _mm256_and_si256(all, avx2_bytes(own)));
    total = _mm256_add_epi32(total, _mm256_madd_epi16(sum, pairs));
  }
  std::array<int32_t, 8> lanes;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.data()), total);
  return std::accumulate(lanes.begin(), lanes.end(), int64_t{0});
}

__attribute__((target("avx2"))) void avx2_rounded(std::span<const double> numbers, double scale, int8_t* values) {
  const __m256d scales = _mm256_set1_pd(scale);
  size_t i = 0;
  for (; i + 8 <= numbers.size(); i += 8) {
    const __m128i low = _mm256_cvtpd_epi32(_mm256_mul_pd(_mm256_loadu_pd(numbers.data() + i), scales));
    const __m128i high = _mm256_cvtpd_epi32(_mm256_mul_pd(_mm256_loadu_pd(numbers.data() + i + 4), scales));
    const __m128i words = _mm_packs_epi32(low, high);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(values + i), _mm_packs_epi16(words, words));
  }
  plain_rounded(numbers.subspan(i), scale, values + i);
}

constexpr BitSums kAvx2 = {plain_sum, plain_subtract, avx2_sum_of_bytes, avx2_rounded, avx2_of_members};

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

__attribute__((target("avx512f,avx512bw,avx512vnni"))) void avx512_of_members(std::span<const uint64_t> rows,
                                                                              const uint64_t* members,
                                                                              const int8_t* values, int32_t* sums) {
  const __m512i ones = _mm512_set1_epi8(1);
  __m512i totals[4];
  for (__m512i& total : totals) total = _mm512_setzero_si512();
  for (size_t w = 0; w < rows.size(); ++w) {
    if (rows[w] == 0) continue;
    const __m512i own = _mm512_maskz_loadu_epi8(rows[w], values + w * 64);
    alignas(64) std::array<int32_t, kFours> fours;
    _mm512_store_si512(fours.data(), own);
    for (uint32_t left = _mm512_test_epi32_mask(own, own); left != 0; left &= left - 1) {
      const auto i = static_cast<size_t>(__builtin_ctz(left));
      const __m512i four = _mm512_set1_epi32(fours[i]);
      const uint64_t* present = members + (w * kFours + i) * 4;
      for (size_t g = 0; g < 4; ++g) {
        totals[g] = _mm512_dpbusd_epi32(totals[g], ones, _mm512_maskz_mov_epi8(present[g], four));
      }
    }
  }
  for (size_t g = 0; g < 4; ++g) _mm512_storeu_si512(sums + 16 * g, totals[g]);
}

__attribute__((target("avx512f,avx512bw,avx512vnni"))) int64_t avx512_sum_of_bytes(std::span<const uint64_t> rows,
                                                                                   const int8_t* values) {
  const __m512i ones = _mm512_set1_epi8(1);
  __m512i total = _mm512_setzero_si512();
  for (size_t w = 0; w < rows.size(); ++w) {
    if (rows[w] == 0) continue;
    total = _mm512_dpbusd_epi32(total, ones, _mm512_maskz_loadu_epi8(rows[w], values + w * 64));
  }
  std::array<int32_t, 16> lanes;
  _mm512_storeu_si512(lanes.data(), total);
  return std::accumulate(lanes.begin(), lanes.end(), int64_t{0});
}

constexpr BitSums kAvx512 = {avx512_sum, avx512_subtract, avx512_sum_of_bytes, avx2_rounded, avx512_of_members};

#endif

}  // namespace

std::vector<const BitSums*> all_bit_sums() {
  std::vector<const BitSums*> all;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) all.push_back(&kAvx512);
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
