#include "game/sparse/search_rows.h"

#include <algorithm>
#include <numeric>

#include "game/sparse/bit_sums.h"

namespace ascribe::core {

namespace {

std::vector<int> first_numbers(int64_t count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

SearchRows::SearchRows(const BitColumns& bits)
    : bits_(bits),
      everyone_(bits.all_of({})),
      players_(first_numbers(bits.players())),
      bin_(static_cast<size_t>(bits.rows())),
      all_sums_(bits, players_) {
  for (const int32_t size : bits.sizes()) ++rows_of_size_[size];
  std::vector<int> by_size = first_numbers(bits.rows());
  const auto size_of = [&](size_t place) { return bits.sizes()[static_cast<size_t>(by_size[place])]; };
  std::stable_sort(by_size.begin(), by_size.end(), [&](int a, int b) {
    return bits.sizes()[static_cast<size_t>(a)] < bits.sizes()[static_cast<size_t>(b)];
  });
  const size_t rows = by_size.size(), least = std::max<size_t>(25, rows / 48);
  for (size_t begin = 0; begin < rows;) {
    size_t end = std::min(rows, begin + least);
    while (end < rows && size_of(end) == size_of(end - 1)) ++end;
    if (rows - end < least) end = rows;
    for (size_t i = begin; i < end; ++i) bin_[static_cast<size_t>(by_size[i])] = static_cast<int32_t>(bin_rows_.size());
    bin_rows_.push_back(static_cast<double>(end - begin));
    begin = end;
  }
  for (size_t begin = 0; begin < rows;) {
    size_t end = begin + 1;
    while (end < rows && bin_[end] == bin_[begin]) ++end;
    runs_.push_back({begin, end, static_cast<size_t>(bin_[begin])});
    begin = end;
  }
}

std::vector<double> SearchRows::around_sizes(std::span<const double> residuals) const {
  std::vector<double> result(residuals.begin(), residuals.end()), means(bin_rows_.size());
  for (size_t row = 0; row < result.size(); ++row) means[static_cast<size_t>(bin_[row])] += result[row];
  for (size_t b = 0; b < means.size(); ++b) means[b] /= bin_rows_[b];
  for (size_t row = 0; row < result.size(); ++row) result[row] -= means[static_cast<size_t>(bin_[row])];
  return result;
}

std::vector<double> SearchRows::without(std::span<const double> around, std::span<const uint64_t> column,
                                        double coefficient) const {
  std::vector<double> result(around.size()), means(bin_rows_.size());
  for_bits(column, 0, [&](int64_t row) { ++means[static_cast<size_t>(bin_[static_cast<size_t>(row)])]; });
  for (size_t b = 0; b < means.size(); ++b) means[b] *= coefficient / bin_rows_[b];
  for (const Run& run : runs_) {
    const double mean = means[run.bin];
#pragma omp simd
    for (size_t row = run.begin; row < run.end; ++row) result[row] = around[row] - mean;
  }
  bit_sums().subtract(column, -coefficient, result.data());
  return result;
}

double SearchRows::chance_variance(size_t k, TermKind kind) {
  auto& known = chances_[kind == TermKind::disjunction ? 1 : 0];
  const auto n = static_cast<double>(bits_.players());
  while (known.size() <= k) {
    double sum = 0;
    for (const auto& [size, rows] : rows_of_size_) {
      const double present = kind == TermKind::disjunction ? n - size : size;
      double share = 1;
      for (size_t i = 0; i < known.size(); ++i) {
        share *= std::max(0.0, present - static_cast<double>(i)) / std::max(1.0, n - static_cast<double>(i));
      }
      sum += rows * share * (1 - share);
    }
    known.push_back(sum);
  }
  return known[k];
}

std::vector<uint64_t> SearchRows::counting(const SparseTerm& term) const {
  std::vector<uint64_t> rows = column_of(bits_, term);
  if (term.kind == TermKind::disjunction) {
    for (size_t w = 0; w < rows.size(); ++w) rows[w] = everyone_[w] & ~rows[w];
  }
  return rows;
}

// Of coalitions of a size, each further player is in the same share.
const SearchRows::Shares& SearchRows::shares(size_t k, TermKind kind) {
  const bool absent = kind == TermKind::disjunction;
  if (const auto known = shares_.find({k, absent}); known != shares_.end()) return known->second;
  const auto members = static_cast<double>(k), others = static_cast<double>(bits_.players()) - members;
  std::vector<double> expected, variance;
  for (const int32_t size : bits_.sizes()) {
    const double share = std::max(0.0, (absent ? size : size - members) / others);
    expected.push_back(share);
    variance.push_back(share * (1 - share));
  }
  FixedValues fixed(variance);
  return shares_.emplace(std::pair{k, absent}, Shares{std::move(expected), std::move(fixed)}).first->second;
}

const PlayerSums& SearchRows::sums_with(const std::vector<int>& players) {
  if (players == players_) return all_sums_;
  if (asked_sums_ == nullptr || players != asked_) {
    asked_sums_ = std::make_unique<PlayerSums>(bits_, players);
    asked_ = players;
  }
  return *asked_sums_;
}

}  // namespace ascribe::core
