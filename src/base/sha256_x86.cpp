// SHA-256 with the instructions that x86 processors have for it, where they have them. Four rounds at a time: the words
// of the schedule follow from the sixteen before them.
#include "base/sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ascribe::core::sha256_x86 {

#if defined(__x86_64__)

namespace {

bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  const bool sse = (c & bit_SSSE3) != 0 && (c & bit_SSE4_1) != 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  return sse && (b & (1U << 29)) != 0;
}

__attribute__((target("sha,sse4.1,ssse3"))) void digest_blocks(Sha256::State& state, const char* blocks, size_t count,
                                                               const std::array<uint32_t, 64>& round) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);  // bytes of words, the other way round
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data())), 0xB1);
  __m128i second = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data() + 4)), 0x1B);
  __m128i first = _mm_alignr_epi8(low, second, 8);  // a b e f
  second = _mm_blend_epi16(second, low, 0xF0);      // c d g h
  for (; count > 0; --count, blocks += 64) {
    const __m128i first_before = first, second_before = second;
    __m128i words[4];
    for (size_t i = 0; i < 4; ++i) {
      words[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks) + static_cast<ptrdiff_t>(i)),
                                  order);
    }
    for (size_t four = 0; four < 16; ++four) {
      __m128i& now = words[four % 4];
      if (four >= 4) {
        const __m128i& before = words[(four + 3) % 4];
        const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(now, words[(four + 1) % 4]),
                                          _mm_alignr_epi8(before, words[(four + 2) % 4], 4));
        now = _mm_sha256msg2_epu32(sum, before);
      }
      const __m128i added =
          _mm_add_epi32(now, _mm_loadu_si128(reinterpret_cast<const __m128i*>(round.data() + 4 * four)));
      second = _mm_sha256rnds2_epu32(second, first, added);
      first = _mm_sha256rnds2_epu32(first, second, _mm_shuffle_epi32(added, 0x0E));
    }
    first = _mm_add_epi32(first, first_before);
    second = _mm_add_epi32(second, second_before);
  }
  low = _mm_shuffle_epi32(first, 0x1B);
  second = _mm_shuffle_epi32(second, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(low, second, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(second, low, 8));
}

}  // namespace

bool digest(Sha256::State& state, const char* blocks, size_t count, const std::array<uint32_t, 64>& round) {
  static const bool can = has_instructions();
  if (can) digest_blocks(state, blocks, count, round);
  return can;
}

#else

bool digest(Sha256::State&, const char*, size_t, const std::array<uint32_t, 64>&) { return false; }

#endif

}  // namespace ascribe::core::sha256_x86
