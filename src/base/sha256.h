// SHA-256 (FIPS 180-4), to name a file by its content.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ascribe::core {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

// The same of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  std::string digits() const;  // of all bytes so far

  using State = std::array<uint32_t, 8>;

 private:
  void digest(const char* blocks, size_t count);

  State state_;
  std::string rest_;  // shorter than a block
  uint64_t bytes_ = 0;
};

// Whether it is 64 hexadecimal digits.
bool is_sha256(std::string_view text);

namespace sha256_x86 {

// Blocks of 64 bytes by the processor's own instructions (some GB in a second); false: it has none.
bool digest(Sha256::State& state, const char* blocks, size_t count, const std::array<uint32_t, 64>& round);

}  // namespace sha256_x86

}  // namespace ascribe::core
