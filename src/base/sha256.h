// SHA-256 (FIPS 180-4), to name a file by its content.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ascribe::core {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

// Of bytes that come one after the other.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  std::string digest() const;  // of all so far; more may follow

 private:
  std::array<uint32_t, 8> state_;
  std::string rest_;  // less than a block
  uint64_t count_ = 0;
};

}  // namespace ascribe::core
