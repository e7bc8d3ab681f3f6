// Cholesky factors of large symmetric matrices, in double: blocks of a fixed size, whose products are OpenBLAS's. The
// same bits for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ascribe::core {

class Cholesky {
 public:
  // Of the matrix whose lower half this is, [size, size] row by row; it becomes the factor L.
  Cholesky(std::vector<double> lower, int64_t size);

  bool positive() const { return positive_; }  // definite, up to rounding; the rest is for such matrices
  double log_determinant() const;              // of the matrix
  // L^-1 b for columns: b is [size, columns], row by row, and becomes the result.
  void solve(std::span<double> b, int64_t columns) const;
  // L^-T b of one column.
  void solve_transposed(std::span<double> b) const;

 private:
  bool factor_block(int64_t from, int64_t count);
  void finish_panel(int64_t from, int64_t count);

  int64_t size_, block_;
  std::vector<double> factor_;
  std::vector<double> inverses_;  // of the blocks on the diagonal
  bool positive_ = false;
};

// a [rows, inner] times b [columns, inner], transposed: [rows, columns]. In parallel, with the same bits always.
std::vector<double> product_with_transposed(std::span<const double> a, std::span<const double> b, int64_t inner);
// a [inner, rows], transposed, times b [inner, columns].
std::vector<double> product_of_transposed(std::span<const double> a, std::span<const double> b, int64_t inner);

}  // namespace ascribe::core
