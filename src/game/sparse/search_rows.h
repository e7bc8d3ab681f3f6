// What a search for terms needs to know of its coalitions, whatever it looks for: rows of about the same size, what
// chance does, and which of them have which players.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "game/sparse/player_sums.h"
#include "game/sparse/terms.h"

namespace ascribe::core {

class SearchRows {
 public:
  explicit SearchRows(const BitColumns& bits);

  const BitColumns& bits() const { return bits_; }
  const std::vector<uint64_t>& everyone() const { return everyone_; }  // all rows
  const std::vector<int>& players() const { return players_; }         // all of them

  // Residuals around their mean among rows of about the same size.
  std::vector<double> around_sizes(std::span<const double> residuals) const;
  // Such residuals with a term of this column and coefficient taken out of the fit.
  std::vector<double> without(std::span<const double> around, std::span<const uint64_t> column,
                              double coefficient) const;

  // Of a set of k players: the sum over rows of its variance among coalitions of the row's size.
  double chance_variance(size_t k, TermKind kind);
  // Rows in which a term's children may count: those in which it is complete, of a disjunction those without anybody.
  std::vector<uint64_t> counting(const SparseTerm& term) const;
  // Of rows in which a set of k players counts: how probably a further player is present, and its variance.
  struct Shares {
    std::vector<double> expected;
    FixedValues variance;
  };
  const Shares& shares(size_t k, TermKind kind);
  // Kept until others are asked for.
  const PlayerSums& sums_with(const std::vector<int>& players);

 private:
  const BitColumns& bits_;
  std::vector<uint64_t> everyone_;
  std::vector<int> players_;
  struct Run {  // of rows of the same bin
    size_t begin, end, bin;
  };
  std::vector<int32_t> bin_;  // of each row
  std::vector<Run> runs_;
  std::vector<double> bin_rows_;  // in each
  std::map<int32_t, double> rows_of_size_;
  std::vector<double> chances_[2];  // of conjunctions, of disjunctions
  std::map<std::pair<size_t, bool>, Shares> shares_;
  PlayerSums all_sums_;
  std::vector<int> asked_;
  std::unique_ptr<PlayerSums> asked_sums_;
};

}  // namespace ascribe::core
