// Loops over kLanes counters at a time, which the compiler turns into vector instructions (cmake sets the flags of this
// file); compiled three times, so that processors with AVX2 or AVX-512 use them. No fused products: all versions give
// the same bits.
#include "base/normals.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/vector_width.h"

namespace ascribe::core {

namespace {

constexpr size_t kLanes = 16;          // counters at a time
constexpr size_t kChunk = 4 * kLanes;  // numbers of them
constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
using Words = std::array<uint32_t, kLanes>;

struct Key {
  uint32_t word0, word1;
};

#if defined(__GNUC__)
#define ASCRIBE_INTO_CALLER [[gnu::always_inline]] inline
#else
#define ASCRIBE_INTO_CALLER inline
#endif

// log(u), 0 < u <= 1: u = 2^e m with m in [sqrt(1/2), sqrt(2)), log m = 2 artanh((m-1)/(m+1)) by its series.
ASCRIBE_INTO_CALLER float log_of(float u) {
  constexpr uint32_t kRootHalf = 0x3F3504F3;
  const uint32_t shifted = std::bit_cast<uint32_t>(u) - kRootHalf;
  const auto exponent = static_cast<float>(static_cast<int32_t>(shifted) >> 23);
  const auto m = std::bit_cast<float>((shifted & 0x007FFFFF) + kRootHalf);
  const float s = (m - 1) / (m + 1), q = s * s;
  const float series = 2 * s * (1 + q * (1.0F / 3 + q * (1.0F / 5 + q * (1.0F / 7 + q * (1.0F / 9)))));
  return exponent * std::numbers::ln2_v<float> + series;
}

// Radius from one word, angle from the other.
ASCRIBE_INTO_CALLER void box_muller(const Words& radii, const Words& angles, float* cosines, float* sines) {
  for (size_t i = 0; i < kLanes; ++i) {
    // (word + 1/2) 2^-32 in (0, 1]; signed words convert in one instruction, so the highest bit is added afterwards.
    const auto low = static_cast<float>(static_cast<int32_t>(radii[i] & 0x7FFFFFFFU));
    const auto high = static_cast<float>(static_cast<int32_t>(radii[i] >> 31));
    const float r = std::sqrt(-2 * log_of((low + 0.5F + high * 0x1p31F) * 0x1p-32F));
    // The upper two bits are the quarter, the others a place in it, from -pi/4 to pi/4.
    const uint32_t word = angles[i];
    const float t = static_cast<float>(static_cast<int32_t>(word << 2)) * (std::numbers::pi_v<float> * 0x1p-33F);
    const float q = t * t;
    const float sine = t * (1 + q * (-1.0F / 6 + q * (1.0F / 120 + q * (-1.0F / 5040 + q * (1.0F / 362880)))));
    const float cosine =
        1 + q * (-1.0F / 2 + q * (1.0F / 24 + q * (-1.0F / 720 + q * (1.0F / 40320 + q * (-1.0F / 3628800)))));
    const bool odd = (word & 0x40000000U) != 0;
    const float sign = (word & 0x80000000U) != 0 ? -r : r;
    cosines[i] = sign * (odd ? -sine : cosine);
    sines[i] = sign * (odd ? cosine : sine);
  }
}

ASCRIBE_INTO_CALLER void make_chunk(Key key, uint64_t row, uint32_t chunk, float* out) {
  Words a, b, c, d;
  for (size_t i = 0; i < kLanes; ++i) {
    a[i] = chunk * static_cast<uint32_t>(kLanes) + static_cast<uint32_t>(i);
    b[i] = 0;
    c[i] = static_cast<uint32_t>(row);
    d[i] = static_cast<uint32_t>(row >> 32);
  }
  for (int round = 0; round < 10; ++round) {
    for (size_t i = 0; i < kLanes; ++i) {
      const uint64_t product0 = uint64_t{kMultiplier0} * a[i], product1 = uint64_t{kMultiplier1} * c[i];
      a[i] = static_cast<uint32_t>(product1 >> 32) ^ b[i] ^ key.word0;
      b[i] = static_cast<uint32_t>(product1);
      c[i] = static_cast<uint32_t>(product0 >> 32) ^ d[i] ^ key.word1;
      d[i] = static_cast<uint32_t>(product0);
    }
    key.word0 += kWeyl0;
    key.word1 += kWeyl1;
  }
  box_muller(a, b, out, out + kLanes);
  box_muller(c, d, out + 2 * kLanes, out + 3 * kLanes);
}

ASCRIBE_INTO_CALLER void fill_row(Key key, uint64_t row, std::span<float> places) {
  const size_t whole = places.size() / kChunk;
  for (size_t chunk = 0; chunk < whole; ++chunk) {
    make_chunk(key, row, static_cast<uint32_t>(chunk), places.data() + chunk * kChunk);
  }
  if (whole * kChunk == places.size()) return;
  std::array<float, kChunk> last;
  make_chunk(key, row, static_cast<uint32_t>(whole), last.data());
  std::copy_n(last.begin(), places.size() - whole * kChunk,
              places.begin() + static_cast<std::ptrdiff_t>(whole * kChunk));
}

void fill_anywhere(Key key, uint64_t row, std::span<float> places) { fill_row(key, row, places); }

#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("avx2")]] void fill_with_avx2(Key key, uint64_t row, std::span<float> places) {
  fill_row(key, row, places);
}
[[gnu::target("avx512f,avx512dq" ASCRIBE_WIDE_VECTORS)]] void fill_with_avx512(Key key, uint64_t row,
                                                                               std::span<float> places) {
  fill_row(key, row, places);
}
const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
#endif

}  // namespace

Normals::Normals(const Random& random) {
  const auto words = random.block(~uint64_t{0});  // a key of their own: no number is used twice
  key0_ = words[0];
  key1_ = words[1];
}

void Normals::fill(uint64_t row, std::span<float> places) const {
#if defined(__x86_64__) && defined(__GNUC__)
  if (has_avx512) return fill_with_avx512({key0_, key1_}, row, places);
  if (has_avx2) return fill_with_avx2({key0_, key1_}, row, places);
#endif
  fill_anywhere({key0_, key1_}, row, places);
}

}  // namespace ascribe::core
