// Loops over rows of floats, compiled for what the processor has: the inner parts of row programs and of other kernels
// that are neither oneDNN's nor BLAS's.
#pragma once

#include <cstdint>

#include "runtime/row_program.h"

namespace ascribe::core {

struct RowLoops {
  // y[i] = a[i * step_a] op b[i * step_b]; steps are 0 or 1. y may be a or b.
  void (*binary)(RowOp op, float* y, const float* a, int64_t step_a, const float* b, int64_t step_b, int64_t count);
  void (*unary)(RowOp op, float* y, const float* x, int64_t count);
  // One number for each row of `width`.
  void (*reduce)(RowOp op, float* y, const float* x, int64_t rows, int64_t width);
  void (*normalize)(float* y, const float* x, int64_t rows, int64_t width, float epsilon);
  void (*softmax)(float* y, const float* x, int64_t rows, int64_t width);
};

const RowLoops& row_loops();

}  // namespace ascribe::core
