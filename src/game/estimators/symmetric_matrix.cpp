#include "game/estimators/symmetric_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"

namespace ascribe::core {

namespace {

constexpr double kSmallestPivot = 1e-11;  // relative to the diagonal: below, only rounding is left

// Several sums at once, which a compiler may not do by itself: addition does not associate.
double dot(const double* a, const double* b, int64_t count) {
  std::array<double, 8> sums{};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (size_t k = 0; k < 8; ++k) sums[k] += a[i + static_cast<int64_t>(k)] * b[i + static_cast<int64_t>(k)];
  }
  double sum = 0;
  for (; i < count; ++i) sum += a[i] * b[i];
  for (const double part : sums) sum += part;
  return sum;
}

// Lower factor in place of the lower half; false if a pivot vanishes.
bool factorize(SymmetricMatrix& matrix) {
  const int64_t size = matrix.size();
  for (int64_t j = 0; j < size; ++j) {
    double* pivots = matrix.row(j);
    const double rest = pivots[j] - dot(pivots, pivots, j);
    if (!(rest > kSmallestPivot * pivots[j])) return false;
    const double pivot = pivots[j] = std::sqrt(rest);
    parallel_for(size - j - 1, 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = j + 1 + begin; i < j + 1 + end; ++i) {
        double* row = matrix.row(i);
        row[j] = (row[j] - dot(row, pivots, j)) / pivot;
      }
    });
  }
  return true;
}

}  // namespace

void SymmetricMatrix::mirror() {
  for (int64_t i = 0; i < size_; ++i) {
    for (int64_t j = 0; j < i; ++j) row(j)[i] = row(i)[j];
  }
}

std::vector<double> SymmetricMatrix::times(const std::vector<double>& vector) const {
  std::vector<double> result;
  for (int64_t i = 0; i < size_; ++i) result.push_back(dot(row(i), vector.data(), size_));
  return result;
}

std::optional<SymmetricMatrix> SymmetricMatrix::inverse() const {
  SymmetricMatrix lower = *this;
  if (!factorize(lower)) return std::nullopt;
  // Column c of the inverse factor as row c: x[i] = (e_c[i] - sum over k < i of L[i][k] x[k]) / L[i][i], zero above c.
  SymmetricMatrix columns(size_), result(size_);
  parallel_for(size_, 16, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      double* x = columns.row(c);
      x[c] = 1 / lower.row(c)[c];
      for (int64_t i = c + 1; i < size_; ++i) x[i] = -dot(lower.row(i) + c, x + c, i - c) / lower.row(i)[i];
    }
  });
  parallel_for(size_, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j <= i; ++j) result.row(i)[j] = dot(columns.row(i) + i, columns.row(j) + i, size_ - i);
    }
  });
  result.mirror();
  return result;
}

std::vector<double> SymmetricMatrix::diagonal_around(const SymmetricMatrix& middle) const {
  std::vector<double> result(static_cast<size_t>(size_));
  parallel_for(size_, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < size_; ++j) sum += row(i)[j] * dot(middle.row(j), row(i), size_);
      result[i] = sum;
    }
  });
  return result;
}

}  // namespace ascribe::core
