// gzip files made in memory for tests.
#pragma once

#include <string>

#include <zlib.h>

namespace ascribe::core {

inline std::string gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// A small file that unpacks to `head` and this many MiB of zeros.
inline std::string gzip_bomb(const std::string& head, int mebibytes) {
  std::string bytes = gzip(head);
  const std::string zeros = gzip(std::string(size_t{1} << 20, '\0'));
  for (int i = 0; i < mebibytes; ++i) bytes += zeros;
  return bytes;
}

}  // namespace ascribe::core
