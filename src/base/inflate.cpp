#include "base/inflate.h"

#include <algorithm>

#include <zlib.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

constexpr size_t kChunk = size_t{1} << 18;

class Inflater {
 public:
  Inflater(int window, std::string_view where) : where_(where) {
    if (inflateInit2(&stream_, window) != Z_OK) fail(ErrorKind::internal, where, "zlib cannot start");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends one stream to `out` and returns the number of bytes it occupied.
  size_t run(std::string_view bytes, size_t limit, std::string& out) {
    size_t consumed = 0;
    for (;;) {
      const size_t given = std::min(bytes.size() - consumed, kChunk);
      // zlib's pointer is not const but it only reads.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + consumed));
      stream_.avail_in = static_cast<uInt>(given);
      const size_t start = out.size();
      out.resize(std::min(start + 4 * kChunk, limit + 1));
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + start);
      stream_.avail_out = static_cast<uInt>(out.size() - start);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      consumed += given - stream_.avail_in;
      const size_t produced = out.size() - start - stream_.avail_out;
      out.resize(start + produced);
      if (out.size() > limit) {
        fail(ErrorKind::io, where_, "the compressed data is too large; expected at most {} bytes", limit);
      }
      if (status == Z_STREAM_END) return consumed;
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

std::string inflate_gzip(std::string_view bytes, size_t limit, std::string_view where) {
  std::string out;
  while (is_gzip(bytes)) bytes.remove_prefix(Inflater(kGzipWindow, where).run(bytes, limit, out));
  const bool padding = std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
  if (!padding) fail(ErrorKind::io, where, "the compressed data is followed by {} other bytes", bytes.size());
  return out;
}

std::string inflate_raw(std::string_view bytes, size_t size, std::string_view where) {
  std::string out;
  Inflater(kRawWindow, where).run(bytes, size, out);
  if (out.size() != size) {
    fail(ErrorKind::io, where, "the compressed data is damaged; got {} bytes; expected {}", out.size(), size);
  }
  return out;
}

}  // namespace ascribe::core
