// Element types of ONNX as kinds of numbers.
#pragma once

#include "onnx/lowering.h"

namespace ascribe::core {

// Refuses what we have no kind for. `element_type` is a TensorProto.DataType.
Kind kind_of_onnx(const NodeContext& c, int64_t element_type);

}  // namespace ascribe::core
