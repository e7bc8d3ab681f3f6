// The bytes that one row of an array takes, as its header claims; the first axis counts the rows.
#pragma once

#include <string>

#include "base/error.h"
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

}  // namespace ascribe::core
