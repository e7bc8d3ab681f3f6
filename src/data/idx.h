// The idx format of MNIST and its relatives: two zero bytes, a type, the number of
// dimensions, the dimensions and the elements, all big-endian.
#pragma once

#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace ascribe::core {

struct IdxArray {
  Tensor values;       // float32; float64 for int32 and double elements
  bool bytes = false;  // the elements are unsigned bytes, as pixels are
};

bool is_idx(std::string_view bytes);
IdxArray parse_idx(std::string_view bytes, const std::string& where);  // not compressed; errors of kind io

// What stands before the elements, for files that are read in parts.
struct IdxHeader {
  Shape shape;
  char code = 0;  // of the elements
  size_t element_size = 0;
};
// Of a header and nothing else.
IdxHeader parse_idx_header(std::string_view bytes, const std::string& where);
// Refuses a header that claims other than `bytes` bytes of elements.
void check_idx_size(const IdxHeader& header, int64_t bytes, const std::string& where);
// Bytes that an element takes in memory.
int64_t kept_size(const IdxHeader& header);
// As many elements as the shape has.
IdxArray parse_idx_elements(const IdxHeader& header, const Shape& shape, std::string_view bytes);

}  // namespace ascribe::core
