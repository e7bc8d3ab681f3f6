#include "runtime/kernels/blas.h"

#include <algorithm>
#include <mutex>

#include <cblas.h>
#include <omp.h>

#include "base/error.h"

namespace ascribe::core {

namespace {

// Our own loop is parallel over tiles; a tile is one thread's work. The OpenMP build of
// OpenBLAS passes the number on to OpenMP, so ours is put back.
void use_one_thread() {
  static const bool done = [] {
    const int threads = omp_get_max_threads();
    openblas_set_num_threads(1);
    omp_set_num_threads(threads);
    return true;
  }();
  (void)done;
}

// The serial build keeps one work space without a lock: two calls at once give wrong numbers.
std::unique_lock<std::mutex> lock_if_serial() {
  static std::mutex guard;
  static const bool serial = openblas_get_parallel() == 0;
  return serial ? std::unique_lock(guard) : std::unique_lock<std::mutex>();
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
  const auto lock = lock_if_serial();
  cblas_dgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), static_cast<blasint>(rows),
              static_cast<blasint>(columns), static_cast<blasint>(inner), 1.0, a.data, narrow(a.stride), b.data,
              narrow(b.stride), beta, c, narrow(c_stride));
}

}  // namespace ascribe::core
