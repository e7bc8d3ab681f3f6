// LeverageSHAP: minimise sum over pairs of w (y - sum of a over S + sum of a outside)^2 with sum of a = v(N) - v(0).
// The odd half of the game, y = (v(S) - v(N without S)) / 2, decides alone about Shapley values.
// Standard errors are the sandwich of the residuals, as for KernelSHAP; where a size is used up they are too large.
// Source: Musco, Witter 2025.
#include <algorithm>

#include "base/error.h"
#include "game/estimators/least_squares.h"
#include "game/estimators/shapley_estimators.h"

namespace ascribe::core {

OddRegression regress_odd(const PairedDesign& design, const std::vector<double>& weights, const std::vector<double>& y,
                          double sum) {
  const int64_t n = design.players;
  Design rows{{}, {}, n};
  std::vector<double> values;
  for (size_t i = 0; i < design.sets.size(); ++i) {
    if (weights[i] == 0) continue;
    std::vector<int> inside(design.sets[i].begin(), design.sets[i].end()), outside;
    for (int p = 0; p < n; ++p) {
      if (!std::binary_search(inside.begin(), inside.end(), p)) outside.push_back(p);
    }
    // The game that y is the odd half of and that is 0 at no one.
    rows.add(std::move(inside), weights[i]);
    values.push_back(sum / 2 + y[i]);
    rows.add(std::move(outside), weights[i]);
    values.push_back(sum / 2 - y[i]);
  }
  std::optional<Fit> fit;
  if (std::ssize(rows.rows) / 2 >= n) fit = fit_with_sum(rows);
  if (!fit) {
    fail(ErrorKind::argument, "shapley", "{} coalitions do not tell {} players apart; expected more samples",
         rows.rows.size(), n);
  }
  OddRegression result{fit->solve(rows, values, sum), {}, fit->degrees_of_freedom(rows, 2)};
  result.standard_errors = fit->standard_errors(rows, values, result.values, 2, rows.rows.size() / 2);
  return result;
}

ShapleyEstimate estimate_by_leverage(Game& game, const EstimateRequest& request) {
  const int64_t n = game.players();
  if (n > kMostRegressed) {
    fail(ErrorKind::argument, "shapley", "a regression over {} players takes too long; expected at most {}", n,
         kMostRegressed);
  }
  const PairedDesign design = paired_design(n, (request.budget - 2) / 2, request.seed);
  const PairedValues v = values_at(game, design, request.progress);
  std::vector<double> y;
  for (size_t i = 0; i < v.inside.size(); ++i) y.push_back((v.inside[i] - v.outside[i]) / 2);
  OddRegression found = regress_odd(design, design.weights, y, v.full - v.empty);
  return {std::move(found.values), std::move(found.standard_errors), found.degrees_of_freedom, v.empty, v.full};
}

}  // namespace ascribe::core
