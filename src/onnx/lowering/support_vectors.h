// Kernels of support vector machines: k(x, v) of every row and every support vector.
#pragma once

#include "onnx/lowering/tables.h"

namespace ascribe::core {

// [N, C] -> [N, vectors], by the attributes kernel_type, kernel_params and support_vectors.
Value kernels(const NodeContext& c, Value x, int64_t vectors);

}  // namespace ascribe::core
