#include "base/sha256.h"

#include <gtest/gtest.h>

namespace ascribe::core {
namespace {

// The examples of FIPS 180-4's test vectors.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Whatever the pieces are, also where they end just before, at or behind the end of a block.
TEST(Sha256, OfPiecesIsThatOfTheWhole) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(i * 7 + i / 13);
  for (const size_t piece : {1, 3, 55, 56, 63, 64, 65, 128, 999}) {
    Sha256 hash;
    for (size_t at = 0; at < bytes.size(); at += piece) hash.add(std::string_view(bytes).substr(at, piece));
    EXPECT_EQ(hash.digits(), sha256(bytes)) << piece;
  }
}

TEST(Sha256, DigitsAreRecognised) {
  EXPECT_TRUE(is_sha256(sha256("")));
  EXPECT_FALSE(is_sha256(sha256("").substr(1)));
  EXPECT_FALSE(is_sha256(std::string(64, 'A')));
}

}  // namespace
}  // namespace ascribe::core
