// Bytes change anywhere, and the checksums of all chunks are made right again.
#include <cstring>

#include "base/checksum.h"
#include "fuzz/mutators/mutators.h"

namespace ascribe::core::fuzz {

namespace {

constexpr size_t kSignature = 8, kAround = 12;  // of a chunk: length, name and checksum

uint32_t big_endian(const uint8_t* at) {
  return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | uint32_t{at[3]};
}

void mend_checksums(uint8_t* data, size_t size) {
  for (size_t at = kSignature; at + kAround <= size;) {
    const size_t length = big_endian(data + at);
    if (length > size - at - kAround) return;
    const uint32_t sum = checksum({reinterpret_cast<const char*>(data + at + 4), length + 4});
    for (size_t i = 0; i < 4; ++i) data[at + 8 + length + i] = static_cast<uint8_t>(sum >> (24 - 8 * i));
    at += kAround + length;
  }
}

}  // namespace

size_t mutate_png(const Mutated& input) {
  const size_t size = input.bytes();
  if (input.seed % 16 != 0) mend_checksums(input.data, size);
  return size;
}

}  // namespace ascribe::core::fuzz
