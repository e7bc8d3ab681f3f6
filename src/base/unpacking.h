// The one budget of everything that is unpacked: gzip files, members of zip archives, streams of either. A few hostile
// bytes may claim gigabytes; what real data do not need is refused, and whoever has such data can unpack it first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ascribe::core {

inline constexpr int64_t kAlwaysUnpacked = int64_t{1} << 26;     // bytes that any file may unpack to
inline constexpr int64_t kUnpackedPerByte = 100;                 // and as many more for each of its bytes
inline constexpr int64_t kMostUnpackedWhole = int64_t{1} << 31;  // of a file that is held in memory as a whole
inline constexpr int64_t kBestRatio = 1032;                      // deflate cannot do better, so a larger claim is a lie

// Bytes that may come out of a file of `packed` bytes; for what is read through a window.
constexpr int64_t most_unpacked(int64_t packed) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (packed > (kMost - kAlwaysUnpacked) / kUnpackedPerByte) return kMost;
  return kAlwaysUnpacked + kUnpackedPerByte * packed;
}

// The same for what is held in memory: of the bytes, and again of the numbers that are made of them.
constexpr int64_t most_unpacked_whole(int64_t packed) {
  return std::max(std::min(most_unpacked(packed), kMostUnpackedWhole), packed);
}

}  // namespace ascribe::core
