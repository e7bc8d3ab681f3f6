// FSII of order 2 by regression (Tsai, Yeh, Ravikumar 2023): coalitions S are drawn by the Shapley kernel, each with
// its complement; x minimises the mean of
//   (v(S) - v(0) - sum over A in S of x(A))^2   subject to   sum of all x(A) = v(N) - v(0).
#include "base/error.h"
#include "game/estimators/least_squares.h"
#include "game/estimators/small_sets.h"

namespace ascribe::core {

namespace {

constexpr int64_t kMostPlayers = 100;  // 5050 unknowns; the solution takes their third power

// The places of all sets within a coalition, ascending.
std::vector<int> features_of(const std::vector<int64_t>& members, const SmallSets& sets) {
  std::vector<int> places;
  for (const int64_t p : members) places.push_back(static_cast<int>(p));
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = i + 1; j < members.size(); ++j)
      places.push_back(static_cast<int>(sets.pair(members[i], members[j])));
  }
  return places;
}

}  // namespace

Estimate estimate_fsii(Game& game, const EstimateRequest& request) {
  const int64_t n = game.players(), before = game.evaluations(), unknowns = SmallSets(n).size();
  if (n > kMostPlayers) {
    fail(ErrorKind::argument, "players",
         "a regression over {} sets takes too long; got {} players; expected at most {}", unknowns, n, kMostPlayers);
  }
  check_budget(game, request.budget, 2 + 2 * unknowns, "a regression over all pairs");
  const double empty = game.empty_value(), full = game.full_value();
  const int64_t pairs = (request.budget - 2) / 2;
  Design design;
  design.unknowns = unknowns;
  Coalitions batch(n);
  for (const auto& members : draw_by_shapley_kernel(n, pairs, request.seed)) {
    batch.add(std::span<const int64_t>(members));
    design.add(features_of(members, SmallSets(n)));
  }
  std::vector<double> values = game.values(batch, request.progress);
  for (double& value : values) value -= empty;
  const std::optional<Fit> fit = fit_with_sum(design);
  if (!fit) {
    fail(ErrorKind::argument, "samples", "the coalitions drawn do not tell all pairs apart; got {}; expected more",
         request.budget);
  }
  const std::vector<double> x = fit->solve(design, values, full - empty);
  return {small_effects(n, x, empty, full, game.evaluations() - before), fit->standard_errors(design, values, x, 2),
          pairs, fit->degrees_of_freedom(design, 2)};
}

}  // namespace ascribe::core
