#include "game/estimators/odd_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/parallel.h"

namespace ascribe::core {

namespace {

constexpr double kTiny = 1e-11;    // on the diagonal, against rounding
constexpr double kThird = 6;       // of the third order, beside the first
constexpr size_t kIntervals = 64;  // of a quadrature, enough for the steepest kernel

// Clenshaw-Curtis on [-1, 1].
struct Quadrature {
  std::array<double, kIntervals + 1> places, weights;
};

const Quadrature& quadrature() {
  static const Quadrature rule = [] {
    Quadrature made;
    constexpr double kStep = std::numbers::pi / kIntervals;
    for (size_t k = 0; k <= kIntervals; ++k) {
      double sum = 0;
      for (size_t j = 1; j <= kIntervals / 2; ++j) {
        const auto order = static_cast<double>(2 * j);
        sum += (j == kIntervals / 2 ? 1 : 2) * std::cos(order * static_cast<double>(k) * kStep) / (order * order - 1);
      }
      made.places[k] = std::cos(static_cast<double>(k) * kStep);
      made.weights[k] = (k == 0 || k == kIntervals ? 1 : 2) * (1 - sum) / kIntervals;
    }
    return made;
  }();
  return rule;
}

double square(double x) { return x * x; }

double product_of(const double* row, const std::vector<int64_t>& members) {
  double product = 1;
  for (const int64_t p : members) product *= row[p];
  return product;
}

}  // namespace

OddProcess::OddProcess(const OddKernel& kernel, std::vector<double> rows, std::vector<double> y)
    : kernel_(kernel),
      players_(std::ssize(kernel.weights)),
      size_(std::ssize(y)),
      rows_(std::move(rows)),
      y_(std::move(y)) {
  std::vector<double> matrix = covariance(rows_, rows_);
  for (int64_t i = 0; i < size_; ++i) {
    matrix[static_cast<size_t>(i * size_ + i)] += i + 1 < size_ ? kernel_.noise + kTiny : kTiny;
  }
  factor_ = std::make_unique<Cholesky>(std::move(matrix), size_);
  if (!factor_->positive()) return;
  std::vector<double> b = y_;
  factor_->solve(b, 1);
  if (kernel_.slopes) {
    whitened_ = rows_;
    factor_->solve(whitened_, players_);
    normal_ = std::make_unique<Cholesky>(product_of_transposed(whitened_, whitened_, size_), players_);
    if (!normal_->positive()) return;
    slopes_ = product_of_transposed(whitened_, b, size_);
    normal_->solve(slopes_, 1);
    normal_->solve_transposed(slopes_);
    const std::vector<double> fitted = product_with_transposed(whitened_, slopes_, players_);
    for (size_t i = 0; i < b.size(); ++i) b[i] -= fitted[i];
    freedom_ = std::max(1.0, static_cast<double>(size_ - players_));
  } else {
    slopes_.assign(static_cast<size_t>(players_), 0.0);
    freedom_ = static_cast<double>(size_);
  }
  variance_ = std::inner_product(b.begin(), b.end(), b.begin(), 0.0) / freedom_;
  factor_->solve_transposed(b);
  alpha_ = std::move(b);
  solved_ = true;
}

std::vector<double> OddProcess::covariance(std::span<const double> a, std::span<const double> b) const {
  const auto scaled = [&](int power) {
    std::vector<double> rows(a.begin(), a.end());
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i] *= std::pow(kernel_.weights[i % static_cast<size_t>(players_)], power);
    }
    return product_with_transposed(rows, b, players_);
  };
  std::vector<double> first = scaled(1);
  const double c = kernel_.steepness;
  if (c > 0) {
    const double factor = 1 / std::sinh(c);
    parallel_for(std::ssize(first), 4096, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const double grown = std::exp(c * first[static_cast<size_t>(i)]);
        first[static_cast<size_t>(i)] = factor * (grown - 1 / grown) / 2;
      }
    });
    add_sets(a, b, first);
    return first;
  }
  const std::vector<double> third = scaled(3);
  double squares = 0;
  for (const double w : kernel_.weights) squares += w * w;
  for (size_t i = 0; i < first.size(); ++i) {
    const double p = first[i];
    first[i] = p + kThird / 6 * (p * p * p - 3 * p * squares + 2 * third[i]);  // Newton's identity
  }
  add_sets(a, b, first);
  return first;
}

void OddProcess::add_sets(std::span<const double> a, std::span<const double> b, std::vector<double>& covariance) const {
  if (kernel_.sets.empty()) return;
  const auto products = [&](std::span<const double> rows) {
    std::vector<double> result;
    for (const double* row = rows.data(); row < rows.data() + rows.size(); row += players_) {
      for (const OddSet& set : kernel_.sets) result.push_back(std::sqrt(set.variance) * product_of(row, set.members));
    }
    return result;
  };
  const std::vector<double> more = product_with_transposed(products(a), products(b), std::ssize(kernel_.sets));
  for (size_t k = 0; k < more.size(); ++k) covariance[k] += more[k];
}

double OddProcess::log_likelihood() const {
  const double determinants = factor_->log_determinant() + (normal_ ? normal_->log_determinant() : 0);
  return -(freedom_ * std::log(std::max(variance_, 1e-300)) + determinants) / 2;
}

std::vector<double> OddProcess::unexplained() const {
  std::vector<double> inverse(static_cast<size_t>(size_ * size_), 0.0);
  for (int64_t i = 0; i < size_; ++i) inverse[static_cast<size_t>(i * size_ + i)] = 1;
  factor_->solve(inverse, size_);  // L^-1
  std::vector<double> result = product_of_transposed(inverse, inverse, size_);
  if (!normal_) return result;
  std::vector<double> explained = product_of_transposed(whitened_, inverse, size_);  // [players, rows]
  normal_->solve(explained, size_);
  const std::vector<double> squares = product_of_transposed(explained, explained, players_);
  for (size_t k = 0; k < result.size(); ++k) result[k] -= squares[k];
  return result;
}

double OddProcess::calibration() const {
  // Left out, row i is missed by alpha_i / Q_ii, whose square is expected to be 1 / Q_ii.
  const std::vector<double> q = unexplained();
  double sum = 0;
  for (int64_t i = 0; i + 1 < size_; ++i) {
    sum += square(alpha_[static_cast<size_t>(i)]) / std::max(q[static_cast<size_t>(i * size_ + i)], 1e-300);
  }
  return variance_ > 0 ? sum / static_cast<double>(size_ - 1) / variance_ : 1;
}

std::vector<double> OddProcess::at(std::span<const double> rows) const {
  const std::vector<double> cross = covariance(rows, rows_);
  std::vector<double> result = product_with_transposed(cross, alpha_, size_);
  const std::vector<double> linear = product_with_transposed(rows, slopes_, players_);
  for (size_t i = 0; i < result.size(); ++i) result[i] += linear[i];
  return result;
}

// sinh(sum of a_i z_i), z_i signs, is the odd half of prod cosh(a_i) prod(1 + l_i z_i), l = tanh(a); the Shapley value
// of its part of order k is 2 / k times it for each member: the integral of z_i l_i prod over others (1 + u l_j z_j)
// du.
std::vector<double> OddProcess::shapley_of_kernel() const {
  std::vector<double> result(rows_.size());
  const auto n = static_cast<size_t>(players_);
  double squares = 0, cosh = 0;
  std::vector<double> l;
  for (const double w : kernel_.weights) {
    squares += w * w;
    cosh += std::log(std::cosh(kernel_.steepness * w));
    l.push_back(std::tanh(kernel_.steepness * w));
  }
  const double factor = kernel_.steepness > 0 ? std::exp(cosh) / std::sinh(kernel_.steepness) : 0;
  const Quadrature& rule = quadrature();
  parallel_for(size_, 16, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      const double* z = rows_.data() + row * n;
      double* to = result.data() + row * n;
      for (const OddSet& set : kernel_.sets) {
        const double each = 2 * set.variance * product_of(z, set.members) / static_cast<double>(set.members.size());
        for (const int64_t p : set.members) to[p] += each;
      }
      if (kernel_.steepness == 0) {
        double p = 0;
        for (size_t i = 0; i < n; ++i) p += kernel_.weights[i] * z[i];
        for (size_t i = 0; i < n; ++i) {
          const double own = kernel_.weights[i] * z[i];
          to[i] += 2 * own + kThird / 3 * own * (square(p - own) - (squares - own * own));
        }
        continue;
      }
      for (size_t q = 0; q < rule.places.size(); ++q) {
        double product = factor * rule.weights[q];
        for (size_t i = 0; i < n; ++i) product *= 1 + rule.places[q] * l[i] * z[i];
        for (size_t i = 0; i < n; ++i) to[i] += product * l[i] * z[i] / (1 + rule.places[q] * l[i] * z[i]);
      }
    }
  });
  return result;
}

std::vector<double> OddProcess::shapley_covariance() const {
  std::vector<double> result(kernel_.weights.size(), 0.0), l;
  for (const OddSet& set : kernel_.sets) {
    for (const int64_t p : set.members) {
      result[static_cast<size_t>(p)] += set.variance * square(2 / static_cast<double>(set.members.size()));
    }
  }
  double squares = 0, cosh = 0;
  for (const double w : kernel_.weights) {
    squares += w * w;
    cosh += std::log(std::cosh(kernel_.steepness * w));
    l.push_back(std::tanh(kernel_.steepness * w));
  }
  if (kernel_.steepness == 0) {
    for (size_t i = 0; i < result.size(); ++i) {
      const double w = kernel_.weights[i];
      result[i] += 4 * w + kThird * 4 / 9 * w * (square(1 - w) - (squares - w * w)) / 2;
    }
    return result;
  }
  const Quadrature& rule = quadrature();
  const double factor = std::exp(cosh) / std::sinh(kernel_.steepness);
  for (size_t q = 0; q < rule.places.size(); ++q) {
    for (size_t r = 0; r < rule.places.size(); ++r) {
      const double u = rule.places[q] * rule.places[r];
      double product = factor * rule.weights[q] * rule.weights[r];
      for (const double one : l) product *= 1 + u * one;
      for (size_t i = 0; i < l.size(); ++i) result[i] += product * l[i] / (1 + u * l[i]);
    }
  }
  return result;
}

// The coefficient of {i, j, k} is l_i l_j l_k times the sum over rows of alpha z_i z_j z_k. Its squares over all j and
// k are sums over pairs of rows r, s of elementary symmetric functions of g = sum of l_j^2 z_rj z_sj without i:
//   l_i^2 sum of alpha_r alpha_s t ((g - l_i^2 t)^2 - sum of l_j^4 without i) / 2, t = z_ri z_si
std::vector<double> OddProcess::strength_in_threes() const {
  const auto n = static_cast<size_t>(players_), size = static_cast<size_t>(size_);
  std::vector<double> squares, scaled = rows_, alone(n, 0.0);
  double fourth = 0, crossed = 0;
  for (const double w : kernel_.weights) {
    const double l = kernel_.steepness > 0 ? std::tanh(kernel_.steepness * w) : w;
    squares.push_back(l * l);
    fourth += square(l * l);
  }
  for (size_t k = 0; k < scaled.size(); ++k) {
    scaled[k] *= squares[k % n];
    alone[k % n] += alpha_[k / n] * rows_[k];
  }
  for (size_t i = 0; i < n; ++i) crossed += squares[i] * square(alone[i]);
  std::vector<double> g = product_with_transposed(scaled, rows_, players_);
  for (size_t r = 0; r < size; ++r) {
    for (size_t s = 0; s < size; ++s) g[r * size + s] = square(g[r * size + s]) * alpha_[r] * alpha_[s];
  }
  const std::vector<double> with_rows = product_of_transposed(g, rows_, size_);
  std::vector<double> result(n, 0.0);
  for (size_t k = 0; k < with_rows.size(); ++k) result[k % n] += with_rows[k] * rows_[k];
  for (size_t i = 0; i < n; ++i) {
    const double own = square(squares[i]);
    const double sum = result[i] + (own - (fourth - own)) * square(alone[i]) - 2 * squares[i] * crossed;
    result[i] = std::max(0.0, squares[i] * sum / 2);
  }
  return result;
}

std::vector<double> OddProcess::surprises(std::span<const std::vector<int64_t>> sets) const {
  const double chance = std::inner_product(alpha_.begin(), alpha_.end(), alpha_.begin(), 0.0);
  std::vector<double> result(sets.size());
  parallel_for(std::ssize(sets), 64, [&](int64_t begin, int64_t end) {
    for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k) {
      double sum = 0;
      for (int64_t i = 0; i < size_; ++i) {
        sum += alpha_[static_cast<size_t>(i)] * product_of(rows_.data() + i * players_, sets[k]);
      }
      result[k] = chance > 0 ? square(sum) / chance : 0;
    }
  });
  return result;
}

std::vector<OddSet> OddProcess::likelier_sets() const {
  std::vector<OddSet> result = kernel_.sets;
  const auto count = std::ssize(result);
  if (count == 0) return result;
  std::vector<double> with_rows, sums(result.size(), 0.0), known = sums;
  for (int64_t i = 0; i < size_; ++i) {
    for (size_t k = 0; k < result.size(); ++k) {
      with_rows.push_back(product_of(rows_.data() + i * players_, result[k].members));
      sums[k] += alpha_[static_cast<size_t>(i)] * with_rows.back();
    }
  }
  factor_->solve(with_rows, count);
  for (size_t k = 0; k < with_rows.size(); ++k) known[k % result.size()] += square(with_rows[k]);
  if (normal_) {
    std::vector<double> explained = product_of_transposed(whitened_, with_rows, size_);  // [players, sets]
    normal_->solve(explained, count);
    for (size_t k = 0; k < explained.size(); ++k) known[k % result.size()] -= square(explained[k]);
  }
  for (size_t k = 0; k < result.size(); ++k) {
    double& variance = result[k].variance;
    variance = square(variance * sums[k]) / variance_ + std::max(0.0, variance * (1 - variance * known[k]));
  }
  return result;
}

OddProcess::Shapley OddProcess::shapley() const {
  std::vector<double> with_rows = shapley_of_kernel();
  Shapley result{product_of_transposed(with_rows, alpha_, size_), shapley_covariance()};
  for (size_t i = 0; i < slopes_.size(); ++i) result.values[i] += 2 * slopes_[i];
  factor_->solve(with_rows, players_);
  for (size_t k = 0; k < with_rows.size(); ++k) {
    result.variances[k % static_cast<size_t>(players_)] -= square(with_rows[k]);
  }
  if (normal_) {
    std::vector<double> unknown = product_of_transposed(whitened_, with_rows, size_);  // [players, values]
    for (double& one : unknown) one = -one;
    for (int64_t i = 0; i < players_; ++i) unknown[static_cast<size_t>(i * players_ + i)] += 2;
    normal_->solve(unknown, players_);
    for (size_t k = 0; k < unknown.size(); ++k) {
      result.variances[k % static_cast<size_t>(players_)] += square(unknown[k]);
    }
  }
  for (double& one : result.variances) one = std::max(one, 0.0);
  return result;
}

}  // namespace ascribe::core
