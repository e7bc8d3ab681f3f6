// Decompression of gzip files and of the raw deflate streams in zip archives, with a
// limit on what comes out: a few hostile bytes can claim gigabytes.
#pragma once

#include <string>
#include <string_view>

namespace ascribe::core {

// How zlib is told of the wrapping.
constexpr int kGzipWindow = 15 + 16;  // 16 asks for gzip's
constexpr int kRawWindow = -15;       // negative: none

bool is_gzip(std::string_view bytes);

// All members of a gzip file. Complaints are of kind io and name `where`.
std::string inflate_gzip(std::string_view bytes, size_t limit, std::string_view where);

// A raw deflate stream that must give exactly `size` bytes.
std::string inflate_raw(std::string_view bytes, size_t size, std::string_view where);

}  // namespace ascribe::core
