// Bytes as text of 64 letters (RFC 4648), and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ascribe::core {

std::string base64(std::string_view bytes);
// Nothing: another letter is in it. The signs that fill up the end may be missing.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace ascribe::core
