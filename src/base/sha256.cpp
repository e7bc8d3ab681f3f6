#include "base/sha256.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace ascribe::core {

namespace {

using State = Sha256::State;
constexpr size_t kBlock = 64;

// The first 32 bits of the fractional part of a positive number.
uint32_t fraction_bits(long double value) { return static_cast<uint32_t>(std::ldexp(value - std::floor(value), 32)); }

// The standard takes its constants from the roots of the first primes.
struct Constants {
  State start{};
  std::array<uint32_t, 64> round{};
  Constants() {
    size_t count = 0;
    for (int n = 2; count < round.size(); ++n) {
      bool prime = true;
      for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (!prime) continue;
      if (count < start.size()) start[count] = fraction_bits(std::sqrt(static_cast<long double>(n)));
      round[count++] = fraction_bits(std::cbrt(static_cast<long double>(n)));
    }
  }
};

const Constants& constants() {
  static const Constants table;
  return table;
}

uint32_t big_endian(const char* bytes) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

void digest_block(State& state, const char* block) {
  const auto& k = constants().round;
  std::array<uint32_t, 64> w{};
  for (size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (size_t t = 16; t < w.size(); ++t) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t t = 0; t < w.size(); ++t) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + k[t] + w[t];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const State mixed = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

}  // namespace

Sha256::Sha256() : state_(constants().start) {}

void Sha256::digest(const char* blocks, size_t count) {
  if (sha256_x86::digest(state_, blocks, count, constants().round)) return;
  for (size_t i = 0; i < count; ++i) digest_block(state_, blocks + i * kBlock);
}

void Sha256::add(std::string_view bytes) {
  bytes_ += bytes.size();
  if (!rest_.empty()) {
    const size_t taken = std::min(kBlock - rest_.size(), bytes.size());
    rest_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (rest_.size() < kBlock) return;
    digest(rest_.data(), 1);
    rest_.clear();
  }
  const size_t whole = bytes.size() / kBlock;
  digest(bytes.data(), whole);
  rest_ = bytes.substr(whole * kBlock);
}

std::string Sha256::digits() const {
  Sha256 last = *this;  // padded with a 1, zeros, and the length in bits
  last.rest_ += '\x80';
  while (last.rest_.size() % kBlock != kBlock - 8) last.rest_ += '\0';
  const uint64_t bits = bytes_ * 8;
  for (int shift = 56; shift >= 0; shift -= 8) last.rest_ += static_cast<char>(bits >> shift & 0xFF);
  last.digest(last.rest_.data(), last.rest_.size() / kBlock);
  std::string text;
  for (const uint32_t word : last.state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace ascribe::core
