// Terms of a sparse game: a conjunction is 1 where all players of its set are present, a disjunction where one of them
// is, a parity where an odd number of them is (a Walsh function is 1 - 2 parity). Fits by least squares, search for the
// terms that explain what a fit leaves.
#pragma once

#include <compare>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "game/sparse/effect_estimator.h"
#include "game/sparse/samples.h"

namespace ascribe::core {

enum class TermKind : uint8_t { conjunction, disjunction, parity };

struct SparseTerm {
  std::vector<int> set;  // ascending; empty: the constant
  TermKind kind = TermKind::conjunction;

  auto operator<=>(const SparseTerm&) const = default;
};

// v = sum of coefficients times terms, by least squares over rows. The constant is always the first term. Inner
// products of terms are counts of common bits. Keeps a reference to the bits.
class TermFit {
 public:
  TermFit(const BitColumns& bits, std::vector<double> values);

  const std::vector<SparseTerm>& terms() const { return terms_; }
  size_t size() const { return terms_.size(); }
  bool has(const SparseTerm& term) const;
  // Terms that are there, or are the same as another one in all rows, are passed over.
  void add(const std::vector<SparseTerm>& terms);
  void solve();
  // Drops the weakest of those whose squared t value is below the price of their size, and solves, until none is left.
  void prune(const std::vector<double>& prices);
  // What is left to explain and what the terms cost: rows log(mean squared residual) + prices.
  double cost(const std::vector<double>& prices) const;

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
  void solve_roughly();  // but for what rounding leaves
  void refine();
  void leave_residuals();
  void drop(const std::vector<uint8_t>& gone);

  const BitColumns* bits_;
  std::vector<double> values_;
  double spread_ = 0;
  std::vector<SparseTerm> terms_;
  std::vector<std::vector<uint64_t>> columns_;
  std::set<std::vector<uint64_t>> known_columns_;
  std::vector<std::vector<double>> products_;  // of each term with those up to it
  std::vector<double> right_;                  // of each term with the values
  std::vector<double> coefficients_, residuals_, inverse_;
  double variance_ = 0;
};

std::vector<uint64_t> column_of(const BitColumns& bits, const SparseTerm& term);

// What a term of 0 .. largest_order players must explain, in units of what chance does: log(rows) + 2 log(number of
// sets of its size), times `strictness` (the extended Bayesian criterion; Chen, Chen 2008).
std::vector<double> prices_of_terms(int64_t players, int64_t rows, int largest_order, double strictness);

struct SearchSettings {
  std::vector<double> prices;  // by number of players; no sets are larger
  int64_t most_parents = 24;   // sets of each size that are extended
  int64_t most_found = 64;
  bool disjunctions = false;
  bool again_thoroughly = true;  // where nothing is found
  const SparseHints* hints = nullptr;
};

class SearchRows;
struct SearchNode;

// Sets whose terms explain most of the residuals: beginning with single players and the terms that are there, sets are
// extended by one player as long as they explain more. Residuals are taken around their mean at each size of a
// coalition, because with many players every set tells of the size.
class TermSearch {
 public:
  explicit TermSearch(const BitColumns& bits);
  ~TermSearch();
  // Thorough: large sets are extended by players that tell little, too. What the last search saw is kept: with the same
  // residuals it is asked for again and again, with other prices, or after a fit was given up. All other settings stay
  // as they are for the life of the search.
  std::vector<SparseTerm> find(const TermFit& fit, const SearchSettings& settings, bool thorough = false);
  // For terms of the fit: the set with one player more, less or another one that explains more in its place; what sets
  // have in common. By everyone: sets are extended by every player, because one whose effects cancel tells nothing
  // alone.
  std::vector<SparseTerm> rivals(const TermFit& fit, const SearchSettings& settings, bool by_everyone);

 private:
  struct Begun;
  struct Looked;
  struct Rivals;

  std::vector<SearchNode> look(const TermFit& fit, const SearchSettings& settings, bool thorough);
  std::vector<SparseTerm> rivals_of(const TermFit& fit, const SearchSettings& settings, bool by_everyone);
  std::vector<int> extending() const;  // players that have told most so far

  std::unique_ptr<SearchRows> rows_;
  std::vector<double> best_single_;  // of each player, over all searches so far
  std::unique_ptr<Looked> looked_[2];
  std::unique_ptr<Rivals> rivals_[2];
};

}  // namespace ascribe::core
