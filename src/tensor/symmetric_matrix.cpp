#include "tensor/symmetric_matrix.h"

// Its own threads would change the order of sums with their number.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Cholesky>

#include "base/parallel.h"

namespace ascribe::core {

namespace {

constexpr double kSmallestPivot = 1e-11;  // relative to the diagonal: below, only rounding is left
constexpr int64_t kGrain = 64;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Matrix> view(const SymmetricMatrix& matrix) { return {matrix.row(0), matrix.size(), matrix.size()}; }
Eigen::Map<Matrix> view(SymmetricMatrix& matrix) { return {matrix.row(0), matrix.size(), matrix.size()}; }

}  // namespace

void SymmetricMatrix::mirror() { view(*this).triangularView<Eigen::StrictlyUpper>() = view(*this).transpose(); }

std::vector<double> SymmetricMatrix::times(const std::vector<double>& vector) const {
  std::vector<double> result(vector.size());
  Eigen::Map<Eigen::VectorXd>(result.data(), size_).noalias() =
      view(*this) * Eigen::Map<const Eigen::VectorXd>(vector.data(), size_);
  return result;
}

std::optional<SymmetricMatrix> SymmetricMatrix::inverse() const {
  const auto matrix = view(*this);
  const Eigen::LLT<Matrix> factors(matrix);
  const Matrix& lower = factors.matrixLLT();
  const bool regular = (lower.diagonal().array().square() > kSmallestPivot * matrix.diagonal().array()).all();
  if (factors.info() != Eigen::Success || !regular) return std::nullopt;
  SymmetricMatrix result(size_);
  auto columns = view(result);
  parallel_for(size_, kGrain, [&](int64_t begin, int64_t end) {
    // From the diagonal down, these columns need only the factor's corner.
    const int64_t rest = size_ - begin;
    const auto corner = lower.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>();
    auto part = columns.block(begin, begin, rest, end - begin);
    part.setIdentity();
    corner.solveInPlace(part);
    corner.transpose().solveInPlace(part);
  });
  result.mirror();
  return result;
}

std::vector<double> SymmetricMatrix::diagonal_around(const SymmetricMatrix& middle) const {
  std::vector<double> result(static_cast<size_t>(size_));
  Eigen::Map<Eigen::VectorXd> diagonal(result.data(), size_);
  parallel_for(size_, kGrain, [&](int64_t begin, int64_t end) {
    const auto rows = view(*this).middleRows(begin, end - begin);
    const Matrix products = rows * view(middle);
    diagonal.segment(begin, end - begin) = products.cwiseProduct(rows).rowwise().sum();
  });
  return result;
}

}  // namespace ascribe::core
