#include "runtime/kernels/blas.h"

#include <algorithm>

#include <cblas.h>

#include "base/error.h"

namespace ascribe {

namespace {

// Our own loop is parallel over tiles; a tile is one thread's work.
void use_one_thread() {
  static const bool done = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  (void)done;
}

}  // namespace

void multiply_tile(int64_t rows, int64_t columns, int64_t inner, const MatrixView& a, const MatrixView& b, double beta,
                   double* c, int64_t c_stride) {
  use_one_thread();
  const auto flag = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
  const auto narrow = [](int64_t value) {
    require(value < (int64_t{1} << 31), "blas", "a matrix is too large for 32-bit BLAS");
    return static_cast<blasint>(std::max<int64_t>(value, 1));
  };
  cblas_dgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), static_cast<blasint>(rows),
              static_cast<blasint>(columns), static_cast<blasint>(inner), 1.0, a.data, narrow(a.stride), b.data,
              narrow(b.stride), beta, c, narrow(c_stride));
}

}  // namespace ascribe
