// Shapley values of games of many players from coalitions drawn once, each with its complement (paired_design.h):
//   leverage   the Shapley regression over the draws, weighted so that it is that over all coalitions on average
//   proxy      a Gaussian process through the draws, whose own Shapley values are known (odd_process.h); beyond a few
//              thousand pairs one for each part of them, and the regression of what they miss elsewhere
// Both share out the whole change; both are exact on games without interactions of three or more players. The same
// seed gives the same bits.
#pragma once

#include "game/estimators/estimate.h"
#include "game/estimators/paired_design.h"

namespace ascribe::core {

inline constexpr int64_t kMostRegressed = 2000;  // players: the solution takes their third power

struct ShapleyEstimate {
  std::vector<double> values, standard_errors;
  double degrees_of_freedom = 0;
  double empty = 0, full = 0;
};

// Refuses fewer pairs than tell the players apart, and more players than a regression can have.
ShapleyEstimate estimate_by_leverage(Game& game, const EstimateRequest& request);
ShapleyEstimate estimate_by_proxy(Game& game, const EstimateRequest& request);

// The Shapley regression of numbers y that change their sign with the complement, over all of a design but those that
// `weights` makes 0; `sum` is shared out.
struct OddRegression {
  std::vector<double> values, standard_errors;
  double degrees_of_freedom = 0;
};
OddRegression regress_odd(const PairedDesign& design, const std::vector<double>& weights, const std::vector<double>& y,
                          double sum);

}  // namespace ascribe::core
