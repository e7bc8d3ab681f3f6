#include "base/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace ascribe::core {

namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;

double unit(uint32_t high, uint32_t low) {
  const uint64_t bits = (uint64_t{high} << 32 | low) >> 11;
  return static_cast<double>(bits) * 0x1.0p-53;
}

}  // namespace

std::array<uint32_t, 4> Random::block(uint64_t index) const {
  std::array<uint32_t, 4> counter = {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
                                     static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)};
  uint32_t key0 = static_cast<uint32_t>(seed_), key1 = static_cast<uint32_t>(seed_ >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{kMultiplier0} * counter[0];
    const uint64_t product1 = uint64_t{kMultiplier1} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(product0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

double Random::uniform(uint64_t index) const {
  const auto bits = block(index);
  return unit(bits[0], bits[1]);
}

double Random::normal(uint64_t index) const {
  const auto bits = block(index);
  const double radius = std::sqrt(-2.0 * std::log(1.0 - unit(bits[0], bits[1])));
  return radius * std::cos(2.0 * std::numbers::pi * unit(bits[2], bits[3]));
}

uint64_t Random::below(uint64_t index, uint64_t bound) const {
  // Multiply-shift on 64 bits: the bias is below bound / 2^64.
  const auto bits = block(index);
  const uint64_t word = uint64_t{bits[0]} << 32 | bits[1];
  return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * bound) >> 64);
}

std::vector<int64_t> Random::permutation(uint64_t index, int64_t size) const {
  const Random draws(seed_ ^ 0x5851F42D4C957F2DULL, stream_ ^ (index * 0x9E3779B97F4A7C15ULL));
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = size - 1; i > 0; --i) {
    const auto j = draws.below(static_cast<uint64_t>(i), static_cast<uint64_t>(i) + 1);
    std::swap(order[static_cast<size_t>(i)], order[j]);
  }
  return order;
}

}  // namespace ascribe::core
