// Double-precision matrix products with the same bits for any number of threads: the
// result is cut into tiles that depend on its shape only, each computed by one
// single-threaded call of OpenBLAS.
#pragma once

#include <cstdint>

namespace ascribe::core {

struct MatrixView {
  const double* data;
  int64_t stride;   // elements from one row to the next, as stored
  bool transposed;  // stored as its transpose
};

// c[rows, columns] = a[rows, inner] b[inner, columns] + beta c, on the calling thread.
void multiply_tile(int64_t rows, int64_t columns, int64_t inner, const MatrixView& a, const MatrixView& b, double beta,
                   double* c, int64_t c_stride);

}  // namespace ascribe::core
