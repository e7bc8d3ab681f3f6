// A matrix product by the rules of numpy, brought to one form: batch axes in front,
// then rows, inner and columns; a rank-1 operand is a row or a column.
#pragma once

#include "runtime/kernels/kernel.h"

namespace ascribe::core {

struct MatmulShape {
  Shape a, b, out;  // same rank, at least 2, as computed (transposes applied)
  bool transpose_a = false, transpose_b = false;
  int64_t rows = 0, inner = 0, columns = 0;
};

MatmulShape matmul_shape(const KernelRequest& request);

}  // namespace ascribe::core
