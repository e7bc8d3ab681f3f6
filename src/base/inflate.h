// Decompression of gzip files and of the raw deflate streams in zip archives, with a
// limit on what comes out (base/unpacking.h): a few hostile bytes can claim gigabytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ascribe::core {

// How zlib is told of the wrapping.
constexpr int kGzipWindow = 15 + 16;  // 16 asks for gzip's
constexpr int kRawWindow = -15;       // negative: none

bool is_gzip(std::string_view bytes);

// Of all members of a gzip file. Complaints are of kind io and name `where`.
// The bytes that come out, counted through a window and not kept; refuses more than `limit`.
int64_t gzip_size(std::string_view bytes, int64_t limit, std::string_view where);
// The first `most` of them, or as many as there are.
std::string gzip_beginning(std::string_view bytes, size_t most, std::string_view where);
// All of them. They are counted before memory is taken for them.
std::string inflate_gzip(std::string_view bytes, int64_t limit, std::string_view where);

// A raw deflate stream that must give exactly `size` bytes.
std::string inflate_raw(std::string_view bytes, size_t size, std::string_view where);

}  // namespace ascribe::core
