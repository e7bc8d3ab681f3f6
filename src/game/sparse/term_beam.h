// One search among sets: beginning with a frontier, sets are extended by one player after the other, of each size the
// most promising ones.
#pragma once

#include <optional>
#include <vector>

#include "game/sparse/search_rows.h"
#include "game/sparse/terms.h"

namespace ascribe::core {

struct SearchNode {
  SparseTerm term;
  double score = 0;  // squared correlation with the residuals, in units of chance
};

inline constexpr int64_t kLeastSearchRows = 6;  // in which a term is 1, and in which it is 0

std::vector<int> with(std::vector<int> set, int player);
bool allowed(const SparseHints* hints, const std::vector<int>& set, int player);

class TermBeam {
 public:
  // Residuals are around their means by size. Thorough: large sets are extended by players that tell little, too.
  TermBeam(SearchRows& rows, std::vector<double> residuals, const TermFit& fit, const SearchSettings& settings,
           bool thorough);

  double score(double sum, size_t size, TermKind kind) {
    const double units = variance_ * rows_.chance_variance(size, kind);
    return units > 0 ? sum * sum / units : 0;
  }
  std::vector<double> singles();  // scores of all players
  // A set of two or more players that is looked at whatever its subsets explain.
  void hint(const SparseTerm& term);
  // All sets that were looked at, from single players on.
  std::vector<SearchNode> search(const std::vector<SearchNode>& singles, const std::vector<int>& players);

  const std::vector<double>& residuals() const { return residuals_; }
  double largest_residual() const { return fixed_.largest(); }

 private:
  struct Extended;  // a set with the rows in which its children may count
  struct Child;
  class Children;
  struct Telling;  // players, and how much they tell beside a set

  std::vector<Telling> telling(const Extended& parent, const std::vector<int>& players, const PlayerSums& sums,
                               double least) const;
  double expected_sum(const Extended& parent, const std::vector<double>& sums) const;
  std::vector<Extended> next(const std::vector<Extended>& frontier, const std::vector<int>& players);
  Extended grown(const Extended& parent, int player, double score) const;

  SearchRows& rows_;
  std::vector<double> residuals_;
  FixedValues fixed_;
  const TermFit& fit_;
  const SearchSettings& settings_;
  const bool thorough_;
  double variance_ = 0;
  std::vector<SearchNode> hinted_;
  // For sets of the present size, of conjunctions and of disjunctions: residuals times shares, and those' variances.
  std::optional<FixedValues> weighted_[2];
  const FixedValues* variance_of_share_[2] = {};
};

}  // namespace ascribe::core
