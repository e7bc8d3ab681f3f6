#include "base/utf8.h"

#include <cstdint>

namespace ascribe::core {

namespace {

struct Piece {
  size_t length = 1;
  bool whole = false;
};

// The character that begins here, or the longest piece that could have become one. Overlong forms, surrogates and what
// is beyond U+10FFFF cannot.
Piece first_piece(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const size_t wanted = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < wanted; ++i) {
    uint8_t least = 0x80, most = 0xBF;
    if (i == 1 && lead == 0xE0) least = 0xA0;
    if (i == 1 && lead == 0xED) most = 0x9F;
    if (i == 1 && lead == 0xF0) least = 0x90;
    if (i == 1 && lead == 0xF4) most = 0x8F;
    if (i == text.size() || byte(i) < least || byte(i) > most) return {i, false};
  }
  return {wanted, true};
}

}  // namespace

std::string mended_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    out += piece.whole ? text.substr(0, piece.length) : "\uFFFD";
    text.remove_prefix(piece.length);
  }
  return out;
}

}  // namespace ascribe::core
