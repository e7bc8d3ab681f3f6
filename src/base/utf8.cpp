#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

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

uint32_t code_point(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(character[i])); };
  if (character.size() == 1) return byte(0);
  uint32_t code = byte(0) & (0xFFU >> (character.size() + 1));
  for (size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3F);
  return code;
}

bool controls_terminal(uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;
  if (code == 0x061C || code == 0x200E || code == 0x200F) return true;              // marks of direction
  return (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);  // lines, overrides
}

// Calls show(character) for what can be shown, and hide(piece, whole) for the rest.
template <class Show, class Hide>
void walk(std::string_view text, Show show, Hide hide) {
  while (!text.empty()) {
    // Most texts are nothing but such letters.
    const auto plain = std::find_if(text.begin(), text.end(), [](char c) {
      return static_cast<uint8_t>(c) < 0x20 || static_cast<uint8_t>(c) >= 0x7F;
    });
    if (plain != text.begin()) {
      show(std::string_view(text.begin(), plain));
      text.remove_prefix(static_cast<size_t>(plain - text.begin()));
      continue;
    }
    const Piece piece = first_piece(text);
    const std::string_view own = text.substr(0, piece.length);
    if (piece.whole && !controls_terminal(code_point(own))) show(own);
    else hide(own, piece.whole);
    text.remove_prefix(piece.length);
  }
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  walk(
      text, [&](std::string_view own) { out += own; },
      [&](std::string_view own, bool) {
        for (const char byte : own) out += fmt::format("\\x{:02x}", static_cast<uint8_t>(byte));
      });
  return out;
}

std::string visible_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  walk(
      json, [&](std::string_view own) { out += own; },
      [&](std::string_view own, bool whole) {
        if (own == "\n") out += own;
        else out += fmt::format("\\u{:04x}", whole ? code_point(own) : 0xFFFD);
      });
  return out;
}

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
