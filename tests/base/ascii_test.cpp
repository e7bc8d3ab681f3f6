#include "base/ascii.h"

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

TEST(Ascii, LettersAndDigitsAreThoseOfAscii) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool letter = (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122);
    EXPECT_EQ(is_ascii_letter(c), letter) << byte;
    EXPECT_EQ(is_ascii_letter_or_digit(c), letter || (byte >= 48 && byte <= 57)) << byte;
    EXPECT_EQ(is_ascii_printable(c), byte >= 32 && byte < 127) << byte;
    EXPECT_EQ(is_ascii_space(c), byte == 32 || (byte >= 9 && byte <= 13)) << byte;
    EXPECT_EQ(static_cast<unsigned char>(ascii_lower(c)), byte >= 65 && byte <= 90 ? byte + 32 : byte);
  }
}

TEST(Ascii, OtherBytesHaveNoSmallLetters) {
  EXPECT_EQ(ascii_lower("SIGMOID_\xC4\xB0 \xC3\x84"), "sigmoid_\xC4\xB0 \xC3\x84");
  EXPECT_EQ(ascii_lower(""), "");
}

TEST(Ascii, ANumberIsTheWholeText) {
  EXPECT_EQ(ascii_number("0.5"), 0.5);
  EXPECT_EQ(ascii_number("+1e3"), 1000.0);
  EXPECT_EQ(ascii_number("-2"), -2.0);
  for (const char* text : {"", "+", "-", "+-5", "++5", "0,5", " 1", "1 ", "1.5x", "0x10", "one"}) {
    EXPECT_EQ(ascii_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace ascribe::core
