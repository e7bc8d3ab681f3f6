#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "game/estimators/cholesky.h"
#include "game/sparse/bit_sums.h"
#include "game/sparse/terms.h"
#include "runtime/kernels/blas.h"

namespace ascribe::core {

namespace {

constexpr double kRounding = 1e-10;  // of the spread: below it is nothing
constexpr int64_t kFitRows = 512, kFitTerms = 128;

// Columns [first, last) of a block of words as numbers, times weights of their rows: [last - first, rows].
void expand(std::span<const uint64_t> column, int64_t first_word, int64_t words, const double* weights, double* out) {
  for (int64_t w = 0; w < words; ++w) {
    const uint64_t bits = column[static_cast<size_t>(first_word + w)];
    for (int64_t b = 0; b < 64; ++b) out[w * 64 + b] = (bits >> b & 1) != 0 ? weights[w * 64 + b] : 0.0;
  }
}

}  // namespace

std::vector<uint64_t> column_of(const BitColumns& bits, const SparseTerm& term) {
  if (term.set.empty() || term.kind == TermKind::conjunction) return bits.all_of(term.set);
  return term.kind == TermKind::disjunction ? bits.one_of(term.set) : bits.odd_of(term.set);
}

TermFit::TermFit(const BitColumns& bits, std::vector<double> values) : bits_(&bits), values_(std::move(values)) {
  require(std::ssize(values_) == bits_->rows(), "sparse", "a value for each row");
  const double mean = std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
  for (const double value : values_) spread_ += (value - mean) * (value - mean);
  spread_ = std::sqrt(spread_ / static_cast<double>(values_.size()));
  add({SparseTerm{}});
  solve();
}

bool TermFit::has(const SparseTerm& term) const {
  return std::find(terms_.begin(), terms_.end(), term) != terms_.end();
}

void TermFit::add(const std::vector<SparseTerm>& terms) {
  const size_t before = terms_.size();
  for (const SparseTerm& term : terms) {
    std::vector<uint64_t> column = column_of(*bits_, term);
    if (!known_columns_.insert(column).second) continue;
    terms_.push_back(term);
    columns_.push_back(std::move(column));
  }
  products_.resize(terms_.size());
  right_.resize(terms_.size());
  parallel_for(std::ssize(terms_) - static_cast<int64_t>(before), 4, [&](int64_t begin, int64_t end) {
    for (size_t i = before + static_cast<size_t>(begin); i < before + static_cast<size_t>(end); ++i) {
      for (size_t j = 0; j <= i; ++j) {
        products_[i].push_back(static_cast<double>(common_bits(columns_[i], columns_[j])));
      }
      right_[i] = bit_sums().sum(columns_[i], values_.data());
    }
  });
}

void TermFit::solve_roughly() {
  const auto size = std::ssize(terms_);
  std::unique_ptr<Cholesky> factor;
  for (double ridge = 1e-13; !factor || !factor->positive(); ridge *= 100) {
    std::vector<double> lower(static_cast<size_t>(size * size));
    for (int64_t i = 0; i < size; ++i) {
      std::copy(products_[static_cast<size_t>(i)].begin(), products_[static_cast<size_t>(i)].end(),
                lower.begin() + i * size);
      lower[static_cast<size_t>(i * size + i)] *= 1 + ridge;
    }
    factor = std::make_unique<Cholesky>(std::move(lower), size);
  }
  coefficients_ = right_;
  factor->solve(coefficients_, 1);
  factor->solve_transposed(coefficients_);
  inverse_.assign(static_cast<size_t>(size * size), 0.0);
  for (int64_t i = 0; i < size; ++i) inverse_[static_cast<size_t>(i * size + i)] = 1;
  factor->solve(inverse_, size);  // of the factor; that of the matrix is its square
  leave_residuals();
}

void TermFit::solve() {
  solve_roughly();
  refine();
}

// What the residuals still have of the terms is fitted once more.
void TermFit::refine() {
  const size_t size = terms_.size();
  std::vector<double> half(size);
  parallel_for(std::ssize(terms_), 16, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      half[i] = bit_sums().sum(columns_[i], residuals_.data());
    }
  });
  for (size_t i = size; i-- > 0;) {  // the inverse is lower triangular
    double sum = 0;
    for (size_t j = 0; j <= i; ++j) sum += inverse_[i * size + j] * half[j];
    half[i] = sum;
  }
  for (size_t i = 0; i < size; ++i) {
    for (size_t j = 0; j <= i; ++j) coefficients_[j] += inverse_[i * size + j] * half[i];
  }
  leave_residuals();
}

void TermFit::leave_residuals() {
  residuals_ = values_;
  parallel_for(bits_->words(), 8, [&](int64_t begin, int64_t end) {
    for (size_t i = 0; i < terms_.size(); ++i) {
      const std::span<const uint64_t> own(columns_[i].data() + begin, static_cast<size_t>(end - begin));
      bit_sums().subtract(own, coefficients_[i], residuals_.data() + begin * 64);
    }
  });
  double squares = 0;
  for (const double residual : residuals_) squares += residual * residual;
  variance_ = squares / static_cast<double>(std::max<int64_t>(1, bits_->rows() - std::ssize(terms_)));
}

std::vector<double> TermFit::t_squared() const {
  const size_t size = terms_.size();
  std::vector<double> diagonal(size), result;
  for (size_t k = 0; k < size; ++k) {
    for (size_t i = 0; i < size; ++i) diagonal[i] += inverse_[k * size + i] * inverse_[k * size + i];
  }
  const double nothing = kRounding * spread_;
  for (size_t i = 0; i < size; ++i) {
    const double count = products_[i][i], share = count / static_cast<double>(bits_->rows());
    const double told = std::abs(coefficients_[i]) * std::sqrt(share * (1 - share));
    result.push_back(told <= nothing ? 0 : coefficients_[i] * coefficients_[i] / (variance_ * diagonal[i] + 1e-300));
  }
  return result;
}

bool TermFit::exact() const { return std::sqrt(variance_) <= 1e-9 * spread_; }

void TermFit::drop(const std::vector<uint8_t>& gone) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < terms_.size(); ++i) {
    if (gone[i] == 0) kept.push_back(i);
    else known_columns_.erase(columns_[i]);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    std::vector<double> products;
    for (size_t j = 0; j <= i; ++j) products.push_back(products_[kept[i]][kept[j]]);
    products_[i] = std::move(products);  // row kept[i] >= i has been read
    if (kept[i] == i) continue;
    terms_[i] = std::move(terms_[kept[i]]);
    columns_[i] = std::move(columns_[kept[i]]);
    right_[i] = right_[kept[i]];
  }
  terms_.resize(kept.size());
  columns_.resize(kept.size());
  products_.resize(kept.size());
  right_.resize(kept.size());
}

// Terms that stand for each other are weak together, so that of those with a player in common one goes at a time.
void TermFit::prune(const std::vector<double>& prices) {
  for (;;) {
    solve_roughly();
    const std::vector<double> t = t_squared();
    const auto missing = [&](size_t i) { return t[i] / prices[terms_[i].set.size()]; };
    std::vector<size_t> weak;
    for (size_t i = 1; i < t.size(); ++i) {
      if (missing(i) < 1) weak.push_back(i);
    }
    if (weak.empty()) {
      refine();
      return;
    }
    std::sort(weak.begin(), weak.end(),
              [&](size_t a, size_t b) { return missing(a) != missing(b) ? missing(a) < missing(b) : a > b; });
    std::vector<uint8_t> gone(t.size()), touched(static_cast<size_t>(bits_->players()));
    for (const size_t i : weak) {
      const std::vector<int>& set = terms_[i].set;
      if (std::any_of(set.begin(), set.end(), [&](int player) { return touched[static_cast<size_t>(player)] != 0; })) {
        continue;
      }
      gone[i] = 1;
      for (const int player : set) touched[static_cast<size_t>(player)] = 1;
    }
    drop(gone);
  }
}

double TermFit::cost(const std::vector<double>& prices) const {
  double squares = 0, paid = 0;
  for (const double residual : residuals_) squares += residual * residual;
  for (size_t i = 1; i < terms_.size(); ++i) paid += prices[terms_[i].set.size()];
  const auto rows = static_cast<double>(bits_->rows());
  const double least = kRounding * spread_;
  return rows * std::log(squares / rows + least * least + 1e-300) + paid;
}

// Inverse, times the sum of squared residuals times terms times terms, times inverse.
std::vector<double> TermFit::covariance() const {
  const auto size = std::ssize(terms_);
  std::vector<double> middle(static_cast<size_t>(size * size)), block(static_cast<size_t>(size * kFitRows));
  for (int64_t first = 0; first < bits_->words(); first += kFitRows / 64) {
    const int64_t words = std::min(kFitRows / 64, bits_->words() - first), rows = words * 64;
    std::vector<double> missed(static_cast<size_t>(rows));
    std::copy(residuals_.begin() + first * 64, residuals_.begin() + std::min(first * 64 + rows, bits_->rows()),
              missed.begin());
    parallel_for(size, 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        expand(columns_[static_cast<size_t>(i)], first, words, missed.data(), block.data() + i * rows);
      }
    });
    parallel_for((size + kFitTerms - 1) / kFitTerms, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * kFitTerms; i < std::min(size, end * kFitTerms); i += kFitTerms) {
        multiply_tile(std::min(kFitTerms, size - i), size, rows, {block.data() + i * rows, rows, false},
                      {block.data(), rows, true}, 1, middle.data() + i * size, size);
      }
    });
  }
  const std::vector<double> inverse = product_of_transposed(inverse_, inverse_, size);
  const std::vector<double> half = product_with_transposed(inverse, middle, size);  // both are symmetric
  std::vector<double> result = product_with_transposed(half, inverse, size);
  const auto rows = static_cast<double>(bits_->rows());
  const double factor = rows / std::max(1.0, rows - static_cast<double>(size));
  for (double& one : result) one *= factor;
  return result;
}

// With another set's term in its place and the same coefficient, squares grow by about coefficient^2 in each row in
// which the two differ.
bool TermFit::doubted(size_t term) const {
  const std::vector<int>& set = terms_[term].set;
  if (set.empty() || terms_[term].kind == TermKind::parity) return false;  // parities differ in half of the rows
  const double one = coefficients_[term] * coefficients_[term];
  const auto tells = [&](int64_t differing) { return one * static_cast<double>(differing) > 8 * variance_; };
  const std::vector<uint64_t> everyone = bits_->all_of({});
  const auto count = common_bits(columns_[term], everyone);
  for (int64_t player = 0; player < bits_->players(); ++player) {
    if (std::find(set.begin(), set.end(), player) != set.end()) continue;
    const int64_t common = common_bits(columns_[term], bits_->column(player));
    const int64_t own =
        terms_[term].kind == TermKind::disjunction ? common_bits(bits_->column(player), everyone) : count;
    if (!tells(own - common)) return true;
  }
  for (size_t i = 0; set.size() > 1 && i < set.size(); ++i) {
    SparseTerm smaller = terms_[term];
    smaller.set.erase(smaller.set.begin() + static_cast<int64_t>(i));
    if (!tells(std::abs(common_bits(column_of(*bits_, smaller), everyone) - count))) return true;
  }
  return false;
}

std::vector<double> TermFit::at(const BitColumns& other) const {
  std::vector<double> result(static_cast<size_t>(other.rows()));
  for (size_t i = 0; i < terms_.size(); ++i) {
    for_bits(column_of(other, terms_[i]), 0,
             [&](int64_t row) { result[static_cast<size_t>(row)] += coefficients_[i]; });
  }
  return result;
}

}  // namespace ascribe::core
