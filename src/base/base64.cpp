#include "base/base64.h"

#include <array>
#include <cstdint>

namespace ascribe::core {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The digit of each letter; -1: none.
constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i) values[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return values;
}();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t k) -> uint32_t {
      return i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0;
    };
    const uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    out += kDigits[three >> 18];
    out += kDigits[three >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[three >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[three & 63] : '=';
  }
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  uint32_t held = 0;
  int bits = 0;
  for (const char letter : text) {
    const int digit = kValues[static_cast<uint8_t>(letter)];
    if (digit < 0) return std::nullopt;
    held = (held << 6 | static_cast<uint32_t>(digit)) & 0xffffff;
    bits += 6;
    if (bits >= 8) bits -= 8, bytes += static_cast<char>(held >> bits & 0xff);
  }
  return bytes;
}

}  // namespace ascribe::core
