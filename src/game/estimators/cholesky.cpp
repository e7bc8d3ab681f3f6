#include "game/estimators/cholesky.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "runtime/kernels/blas.h"

namespace ascribe::core {

namespace {

constexpr int64_t kTile = 256;  // rows or columns of a product that one thread computes

MatrixView plain(const double* data, int64_t stride) { return {data, stride, false}; }
MatrixView turned(const double* data, int64_t stride) { return {data, stride, true}; }

// Rows of a block of the diagonal, which is factored number by number: of small matrices that would be nearly all.
int64_t block_of(int64_t size) { return size <= 256 ? 16 : 64; }

// Calls work(begin, count) for tiles of [0, count).
template <class Work>
void for_tiles(int64_t count, Work work) {
  parallel_for((count + kTile - 1) / kTile, 1, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) work(tile * kTile, std::min(kTile, count - tile * kTile));
  });
}

}  // namespace

// Left to right: a block column is finished from those before it.
Cholesky::Cholesky(std::vector<double> lower, int64_t size)
    : size_(size),
      block_(block_of(size)),
      factor_(std::move(lower)),
      inverses_(static_cast<size_t>((size + block_ - 1) / block_ * block_ * block_)) {
  require(std::ssize(factor_) == size * size, "cholesky", "a square matrix");
  for (int64_t from = 0; from < size_; from += block_) {
    const int64_t count = std::min(block_, size_ - from);
    std::vector<double> before(static_cast<size_t>(count * from));  // negated, because products are added
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < from; ++j) {
        before[static_cast<size_t>(i * from + j)] = -factor_[static_cast<size_t>((from + i) * size_ + j)];
      }
    }
    if (from > 0) {
      for_tiles(size_ - from, [&](int64_t first, int64_t rows) {
        double* row = factor_.data() + (from + first) * size_;
        multiply_tile(rows, count, from, plain(row, size_), turned(before.data(), from), 1, row + from, size_);
      });
    }
    if (!factor_block(from, count)) return;
    finish_panel(from, count);
  }
  positive_ = true;
}

// The block on the diagonal and the inverse of its factor.
bool Cholesky::factor_block(int64_t from, int64_t count) {
  const auto at = [&](int64_t i, int64_t j) -> double& {
    return factor_[static_cast<size_t>((from + i) * size_ + from + j)];
  };
  double* inverse = inverses_.data() + from / block_ * block_ * block_;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      double sum = at(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      if (i > j) {
        at(i, j) = sum / at(j, j);
      } else if (sum > 0 && std::isfinite(sum)) {
        at(i, i) = std::sqrt(sum);
      } else {
        return false;
      }
    }
    inverse[i * block_ + i] = 1 / at(i, i);
    for (int64_t j = 0; j < i; ++j) {
      double sum = 0;
      for (int64_t k = j; k < i; ++k) sum -= at(i, k) * inverse[k * block_ + j];
      inverse[i * block_ + j] = sum / at(i, i);
    }
  }
  return true;
}

// What lies below the block, times the transposed inverse.
void Cholesky::finish_panel(int64_t from, int64_t count) {
  const double* inverse = inverses_.data() + from / block_ * block_ * block_;
  const int64_t below = from + count;
  for_tiles(size_ - below, [&](int64_t first, int64_t rows) {
    std::vector<double> result(static_cast<size_t>(rows * count));
    double* panel = factor_.data() + (below + first) * size_ + from;
    multiply_tile(rows, count, count, plain(panel, size_), turned(inverse, block_), 0, result.data(), count);
    for (int64_t i = 0; i < rows; ++i) std::copy_n(result.begin() + i * count, count, panel + i * size_);
  });
}

double Cholesky::log_determinant() const {
  double sum = 0;
  for (int64_t i = 0; i < size_; ++i) sum += std::log(factor_[static_cast<size_t>(i * size_ + i)]);
  return 2 * sum;
}

void Cholesky::solve(std::span<double> b, int64_t columns) const {
  require(std::ssize(b) == size_ * columns, "cholesky", "as many rows as the matrix has");
  for_tiles(columns, [&](int64_t first, int64_t count) {
    for (int64_t from = 0; from < size_; from += block_) {
      const int64_t rows = std::min(block_, size_ - from);
      double* own = b.data() + from * columns + first;
      std::vector<double> rest(static_cast<size_t>(rows * count), 0.0), result(rest);
      if (from > 0) {
        multiply_tile(rows, count, from, plain(factor_.data() + from * size_, size_), plain(b.data() + first, columns),
                      0, rest.data(), count);
      }
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < count; ++j) {
          rest[static_cast<size_t>(i * count + j)] = own[i * columns + j] - rest[static_cast<size_t>(i * count + j)];
        }
      }
      multiply_tile(rows, count, rows, plain(inverses_.data() + from / block_ * block_ * block_, block_),
                    plain(rest.data(), count), 0, result.data(), count);
      for (int64_t i = 0; i < rows; ++i) std::copy_n(result.begin() + i * count, count, own + i * columns);
    }
  });
}

void Cholesky::solve_transposed(std::span<double> b) const {
  require(std::ssize(b) == size_, "cholesky", "as many rows as the matrix has");
  for (int64_t i = size_ - 1; i >= 0; --i) {
    const double* row = factor_.data() + i * size_;
    const double value = b[static_cast<size_t>(i)] / row[i];
    b[static_cast<size_t>(i)] = value;
    for (int64_t j = 0; j < i; ++j) b[static_cast<size_t>(j)] -= row[j] * value;
  }
}

std::vector<double> product_with_transposed(std::span<const double> a, std::span<const double> b, int64_t inner) {
  const int64_t rows = std::ssize(a) / inner, columns = std::ssize(b) / inner;
  std::vector<double> result(static_cast<size_t>(rows * columns));
  for_tiles(rows, [&](int64_t first, int64_t count) {
    multiply_tile(count, columns, inner, plain(a.data() + first * inner, inner), turned(b.data(), inner), 0,
                  result.data() + first * columns, columns);
  });
  return result;
}

std::vector<double> product_of_transposed(std::span<const double> a, std::span<const double> b, int64_t inner) {
  const int64_t rows = std::ssize(a) / inner, columns = std::ssize(b) / inner;
  std::vector<double> result(static_cast<size_t>(rows * columns));
  for_tiles(rows, [&](int64_t first, int64_t count) {
    multiply_tile(count, columns, inner, turned(a.data() + first, rows), plain(b.data(), columns), 0,
                  result.data() + first * columns, columns);
  });
  return result;
}

}  // namespace ascribe::core
