// ONNX element types: their names, and what they become in a graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/op.h"

namespace ascribe::core {

struct ElementType {
  int32_t code = 0;  // TensorProto.DataType
  std::string_view name;
  Kind kind = Kind::real;
  int64_t bits = 0;     // of one element in raw_data; small ones share bytes
  bool stored = false;  // only weights have it: they are unpacked when they are read

  int64_t bytes_of(int64_t count) const { return count / 8 * bits + (count % 8 * bits + 7) / 8; }
};

// Null for types that we do not read (complex numbers).
const ElementType* find_element_type(int32_t code);
const ElementType& element_type_named(std::string_view name);

// The name of any type, known or not, for complaints.
std::string element_type_name(int32_t code);

// Refuses what we do not read.
const ElementType& element_type(int32_t code, std::string_view where);

}  // namespace ascribe::core
