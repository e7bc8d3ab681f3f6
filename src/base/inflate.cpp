#include "base/inflate.h"

#include <algorithm>
#include <array>

#include <zlib.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

constexpr size_t kChunk = size_t{1} << 16;

class Inflater {
 public:
  Inflater(int window, std::string_view where) : where_(where) {
    if (inflateInit2(&stream_, window) != Z_OK) fail(ErrorKind::internal, where, "zlib cannot start");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Hands one stream to `take` in pieces, until it wants no more, and returns the number of bytes that were read.
  template <class Take>
  size_t run(std::string_view bytes, Take take) {
    std::array<char, kChunk> out;
    size_t consumed = 0;
    for (;;) {
      const size_t given = std::min(bytes.size() - consumed, kChunk);
      // zlib's pointer is not const but it only reads.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + consumed));
      stream_.avail_in = static_cast<uInt>(given);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      consumed += given - stream_.avail_in;
      const size_t produced = out.size() - stream_.avail_out;
      if (!take(std::string_view(out.data(), produced)) || status == Z_STREAM_END) return consumed;
      if (status != Z_OK && status != Z_BUF_ERROR) fail(ErrorKind::io, where_, "the compressed data is damaged");
      if (produced == 0 && consumed == bytes.size()) fail(ErrorKind::io, where_, "the compressed data is cut short");
    }
  }

 private:
  z_stream stream_{};
  std::string_view where_;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

int64_t gzip_size(std::string_view bytes, int64_t limit, std::string_view where) {
  int64_t size = 0;
  const auto count = [&](std::string_view piece) {
    size += std::ssize(piece);
    if (size > limit) {
      fail(ErrorKind::io, where, "the compressed data is too large; expected at most {} bytes; unpack the file first",
           limit);
    }
    return true;
  };
  while (is_gzip(bytes)) bytes.remove_prefix(Inflater(kGzipWindow, where).run(bytes, count));
  const bool padding = std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
  if (!padding) fail(ErrorKind::io, where, "the compressed data is followed by {} other bytes", bytes.size());
  return size;
}

std::string gzip_beginning(std::string_view bytes, size_t most, std::string_view where) {
  std::string out;
  const auto keep = [&](std::string_view piece) {
    out += piece.substr(0, most - out.size());
    return out.size() < most;
  };
  while (is_gzip(bytes) && out.size() < most) bytes.remove_prefix(Inflater(kGzipWindow, where).run(bytes, keep));
  return out;
}

std::string inflate_gzip(std::string_view bytes, int64_t limit, std::string_view where) {
  std::string out;
  out.reserve(static_cast<size_t>(gzip_size(bytes, limit, where)));
  const auto keep = [&](std::string_view piece) {
    out += piece;
    return true;
  };
  while (is_gzip(bytes)) bytes.remove_prefix(Inflater(kGzipWindow, where).run(bytes, keep));
  return out;
}

std::string inflate_raw(std::string_view bytes, size_t size, std::string_view where) {
  std::string out;
  Inflater(kRawWindow, where).run(bytes, [&](std::string_view piece) {
    if (piece.size() > size - out.size()) {
      fail(ErrorKind::io, where, "the compressed data is too large; expected at most {} bytes", size);
    }
    out += piece;
    return true;
  });
  if (out.size() != size) {
    fail(ErrorKind::io, where, "the compressed data is damaged; got {} bytes; expected {}", out.size(), size);
  }
  return out;
}

}  // namespace ascribe::core
