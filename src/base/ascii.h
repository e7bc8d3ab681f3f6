#pragma once

// Letters, digits and numbers as files have them, in ASCII. <cctype> and strtod ask the locale instead, which belongs
// to the program that uses the library: in a Turkish one `I` has no small letter, in one of Latin-1 the bytes of a
// UTF-8 name are letters, and in a German one 0.5 is 0.
#include <optional>
#include <string>
#include <string_view>

namespace ascribe::core {

constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_ascii_letter_or_digit(char c) { return is_ascii_letter(c) || (c >= '0' && c <= '9'); }
constexpr bool is_ascii_printable(char c) { return c >= ' ' && c <= '~'; }
constexpr bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Other bytes stay as they are.
std::string ascii_lower(std::string_view text);

// 1.5, +1e3; nothing if the text is anything more, or less, than a number.
std::optional<double> ascii_number(std::string_view text);

}  // namespace ascribe::core
