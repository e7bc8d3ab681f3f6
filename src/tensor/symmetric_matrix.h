// A dense symmetric matrix, for normal equations and covariances. Products and the inverse are Eigen's, cut into pieces
// of a fixed size: the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ascribe::core {

class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(int64_t size) : size_(size), values_(static_cast<size_t>(size * size)) {}

  int64_t size() const { return size_; }
  double* row(int64_t i) { return values_.data() + i * size_; }
  const double* row(int64_t i) const { return values_.data() + i * size_; }

  void mirror();  // copies what is below the diagonal to above it
  std::vector<double> times(const std::vector<double>& vector) const;
  // Nothing if the matrix is not positive definite, up to rounding.
  std::optional<SymmetricMatrix> inverse() const;
  // The diagonal of A B A, A this matrix.
  std::vector<double> diagonal_around(const SymmetricMatrix& middle) const;

 private:
  int64_t size_;
  std::vector<double> values_;
};

}  // namespace ascribe::core
