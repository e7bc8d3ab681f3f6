// Least squares over coalitions: x minimises the weighted mean of (y_r - sum of x over the features of row r)^2, either
// with the sum of x prescribed (KernelSHAP, FSII) or with a penalty ridge * |x|^2 (LIME).
// Standard errors: the residual (sandwich) covariance Q M Q, M the sum of u u' over independent groups of rows, u the
// gradient of a group's squared residuals, Q the inverse normal matrix; times rows / (rows - unknowns), because the
// residuals of a fit are too small; with the sum prescribed, the complement of a row of single players repeats it.
#pragma once

#include <optional>
#include <vector>

#include "tensor/symmetric_matrix.h"

namespace ascribe::core {

struct Design {
  std::vector<std::vector<int>> rows;  // of each row the unknowns that count in it, ascending
  std::vector<double> weights;         // of each row
  int64_t unknowns = 0;

  void add(std::vector<int> features, double weight = 1) {
    rows.push_back(std::move(features));
    weights.push_back(weight);
  }
};

struct Fit {
  SymmetricMatrix inverse;    // of the normal matrix; with a constraint, within it
  std::vector<double> along;  // what each unknown gets of the prescribed sum; zeros without one

  // What x gains with y of row r, per unit.
  std::vector<double> influence(const Design& design, size_t row) const;
  std::vector<double> solve(const Design& design, const std::vector<double>& y, double sum = 0) const;
  // Rows that follow each other by `group` were drawn together. `telling`: how many of them tell something of their
  // own; 0: all.
  std::vector<double> standard_errors(const Design& design, const std::vector<double>& y, const std::vector<double>& x,
                                      size_t group, size_t telling = 0) const;
  // Of the standard errors: groups less unknowns, and at least one.
  double degrees_of_freedom(const Design& design, size_t group) const;
};

// Nothing if the rows do not determine x.
std::optional<Fit> fit_with_sum(const Design& design);
// The unknowns before `penalised` pay the penalty.
std::optional<Fit> fit_with_ridge(const Design& design, double ridge, int64_t penalised);

// Coalitions as lists of players, drawn by the Shapley kernel: size s with probability ~ 1 / (s (n-s)); row 2 i is a
// coalition, row 2 i + 1 its complement.
std::vector<std::vector<int64_t>> draw_by_shapley_kernel(int64_t players, int64_t pairs, uint64_t seed);

}  // namespace ascribe::core
