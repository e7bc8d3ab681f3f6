// Terms of a sparse game: a conjunction is 1 where all players of its set are present, a disjunction where one of them
// is. Fits by least squares, search for the terms that explain what a fit leaves.
#pragma once

#include <compare>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "game/sparse/effect_estimator.h"
#include "game/sparse/samples.h"

namespace ascribe::core {

struct Term {
  std::vector<int> set;  // ascending; empty: the constant
  bool disjunction = false;

  auto operator<=>(const Term&) const = default;
};

// v = sum of coefficients times terms, by least squares over rows. The constant is always the first term. Inner
// products of terms are counts of common bits. Keeps a reference to the bits.
class TermFit {
 public:
  TermFit(const BitColumns& bits, std::vector<double> values);

  const std::vector<Term>& terms() const { return terms_; }
  size_t size() const { return terms_.size(); }
  bool has(const Term& term) const;
  // Terms that are there, or are the same as another one in all rows, are passed over.
  void add(const std::vector<Term>& terms);
  void solve();
  // Drops the weakest of those whose squared t value is below the threshold, and solves, until none is left.
  void prune(double t_squared);

  const std::vector<double>& coefficients() const { return coefficients_; }
  const std::vector<double>& residuals() const { return residuals_; }
  std::vector<double> t_squared() const;  // of each term, as if all residuals were alike
  double variance() const { return variance_; }
  double spread() const { return spread_; }  // root of the mean square of the values around their mean
  bool exact() const;                        // nothing is left but rounding
  // Of the coefficients, [size, size]: whatever the residuals depend on, times rows / (rows - terms).
  std::vector<double> covariance() const;
  // Whether the rows do not tell the term from one with one player more or less.
  bool doubted(size_t term) const;
  // The fitted function at other coalitions.
  std::vector<double> at(const BitColumns& other) const;

 private:
  void drop(const std::vector<uint8_t>& gone);

  const BitColumns& bits_;
  std::vector<double> values_;
  double spread_ = 0;
  std::vector<Term> terms_;
  std::vector<std::vector<uint64_t>> columns_;
  std::set<std::vector<uint64_t>> known_columns_;
  std::vector<std::vector<double>> products_;  // of each term with those up to it
  std::vector<double> right_;                  // of each term with the values
  std::vector<double> coefficients_, residuals_, inverse_;
  double variance_ = 0;
};

std::vector<uint64_t> column_of(const BitColumns& bits, const Term& term);

struct SearchSettings {
  int largest_order = 2;
  double least = 10;           // of what is found: squared correlation with the residuals, in units of chance
  int64_t most_parents = 128;  // sets of each size that are extended
  int64_t most_found = 64;
  bool disjunctions = false;
  const SparseHints* hints = nullptr;
};

// Sets whose terms explain most of the residuals: beginning with single players and the terms that are there, sets are
// extended by one player as long as they explain more. Residuals are taken around their mean at each size of a
// coalition, because with many players every set tells of the size.
class TermSearch {
 public:
  explicit TermSearch(const BitColumns& bits);
  std::vector<Term> find(const TermFit& fit, const SearchSettings& settings);

 private:
  const BitColumns& bits_;
  std::vector<int32_t> by_size_;     // rows, ordered
  std::vector<double> best_single_;  // of each player, over all searches so far
};

}  // namespace ascribe::core
