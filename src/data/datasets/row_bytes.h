// The bytes that rows of an array take, as its header claims; the first axis counts the rows.
#pragma once

#include <string>

#include "base/byte_stream.h"
#include "base/error.h"
#include "base/unpacking.h"
#include "tensor/tensor.h"

namespace ascribe::core {

// Refuses, kind io, rows of nothing and rows above 1 GiB.
inline int64_t row_bytes(const Shape& shape, size_t element_size, const std::string& where) {
  constexpr size_t kLargest = size_t{1} << 30;
  size_t bytes = element_size;
  for (size_t axis = 1; axis < shape.size(); ++axis) {
    const auto extent = static_cast<size_t>(shape[axis]);
    if (extent == 0 || extent > kLargest / bytes) {
      fail(ErrorKind::io, where, "the rows are empty or too large; got an array {}; expected at most 1 GiB a row",
           to_string(shape));
    }
    bytes *= extent;
  }
  return static_cast<int64_t>(bytes);
}

// Of an array whose elements begin at `start`. Refuses, before memory is taken for any of them, rows that the file
// cannot hold, and in a compressed one rows whose numbers (`kept` bytes in memory for one in the file) are beyond its
// budget.
inline void check_rows(const ByteStream& stream, int64_t start, const Shape& shape, int64_t row_bytes, int64_t kept,
                       const std::string& where) {
  const int64_t available = stream.most() - start;
  const bool whole = stream.size().has_value();
  if (available < 0 || shape[0] > available / row_bytes || (whole && shape[0] * row_bytes != available)) {
    fail(ErrorKind::io, where, "the file does not hold what its header says; got {}{} bytes; expected an array {}",
         whole ? "" : "at most ", std::max<int64_t>(available, 0), to_string(shape));
  }
  if (!whole && row_bytes > std::min(stream.most(), kMostUnpackedWhole) / kept) {
    fail(ErrorKind::io, where, "a row of {} bytes is too large for this compressed file; unpack it first", row_bytes);
  }
}

}  // namespace ascribe::core
