// Effects that were found (game/sparse), held against the game itself. The value of an effect in a fit is its part of
// the sum of few effects that foretells the game best; if the game has other effects, too, no quantity of the game
// alone is equal to it. These are:
//   alone       J(S), what the set does with everybody else absent: 2^k coalitions, no error
//   in company  the mean of what the set does beside players drawn as for the fit, every share of present ones alike:
//               the Shapley interaction index (of one player the Shapley value), from draws of its own, so that
//               choosing the set by the fit biases nothing
// Sets that derivatives point to are looked up as well, whether or not the fit has them.
// Effects that were not looked up are off from J(S) by as much as others drawn at random from among them.
#pragma once

#include <optional>
#include <vector>

#include "game/sparse/effect_estimator.h"

namespace ascribe::core {

struct InCompany {
  double value = 0, standard_error = 0;
  int64_t draws = 0;  // one more than the degrees of freedom
};

struct VerifiedEffects {
  std::vector<std::optional<double>> alone;          // J(S), one for each effect
  std::vector<std::optional<InCompany>> in_company;  // one for each effect
  // Half of a 95 % interval around the value in the fit, of an effect that was not looked up and has at most so many
  // players: by split conformal prediction (Vovk, Gammerman, Shafer 2005), which assumes nothing of how they are off.
  // Nothing: too few were looked up.
  std::optional<double> off;
  int off_players = 0;
  int64_t looked_up = 0, evaluations = 0;
  // J(S) of candidates that the fit does not have, the largest first: weak effects of which there are too many for a
  // fit to tell them apart.
  std::vector<Effect> beside;
};

struct Verification {
  int64_t budget = 0;  // evaluations, at most
  uint64_t seed = 0;
  Progress progress = {};
  // Sets that may well have an effect, the likeliest first, and evaluations for them beside the budget.
  std::span<const SparseHints::Candidate> candidates = {};
  int64_t candidate_budget = 0;
};

VerifiedEffects verify_effects(Game& game, const SparseEstimate& estimate, const Verification& request);

}  // namespace ascribe::core
