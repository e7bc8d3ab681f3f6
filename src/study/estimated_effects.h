// Effects of many players from few evaluations (game/sparse), with what derivatives and receptive fields tell
// beforehand, the indices that follow from them, and direct estimates of the same indices to hold them against.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "game/sparse/verified_effects.h"
#include "game/sparse_index.h"
#include "methods/explained_model.h"

namespace ascribe::core::study {

struct EstimateWish {
  std::string estimator = {};  // of game/sparse; empty: the usual one
  int64_t budget = 20000;      // evaluations
  double aim = 0;              // stop when so much of the spread over held-out coalitions is not explained; 0: no aim
  int order = 0;               // of the effects; 0: as many players as they have
  uint64_t seed = 0;
};

// J(S) as far as it is known.
struct AloneEffect {
  std::vector<int> players;
  double value = 0, interval = 0;  // half of 95 %; 0: it was looked up
  std::optional<size_t> in_fit;    // the number of the effect; nothing: the fit does not have it
};

// The errors of a fit are those of drawing, and hold if the effects that were found are the ones that are there. A
// network has others, too. So a part of the budget holds the effects against the network itself
// (game/sparse/verified_effects.h). What the values of those that were looked up differ from J(S) by, beyond what
// drawing explains, is the misfit.
struct EstimatedEffects {
  SparseEstimate estimate;
  VerifiedEffects verified;
  double misfit = 0;                 // a standard deviation
  std::vector<SparseIndex> indices;  // shapley, and sii, stii and fsii of pairs
  int64_t passes = 0;                // that derivatives took beside the evaluations
  std::string candidates;            // where candidates for pairs came from; empty: there were none
  int64_t never_meet = 0;            // pairs that cannot have an effect

  std::vector<double> standard_errors() const;  // of each effect in the fit, with the misfit
  std::vector<double> fit_intervals() const;    // half of 95 % intervals by them
  std::vector<size_t> by_magnitude() const;     // numbers of the effects, the largest in the fit first
  const SparseIndex* index(const std::string& name) const;

  // J(S) as far as it is known: looked up, or the value in the fit.
  double alone(size_t effect) const;
  // Half of its 95 % interval: 0 if it was looked up; infinite where too few evaluations tell.
  double alone_interval(size_t effect) const;
  // Those that were looked up, whether or not the fit has them, and those that are larger than their interval; the
  // largest J(S) first.
  std::vector<AloneEffect> by_verified() const;
  // Effects that were asked for in company, the largest first, and half of an effect's 95 % interval.
  std::vector<size_t> by_company() const;
  double company_interval(size_t effect) const;
};

// What may be drawn and told first: sets of at least so many players that are larger than their intervals, the largest
// first; in company, or alone if nothing was asked for in company.
struct VerifiedSet {
  std::vector<int> players;
  double value = 0, interval = 0;
};
std::vector<VerifiedSet> verified_sets(const EstimatedEffects& found, size_t least_players, size_t most);
bool told_in_company(const EstimatedEffects& found);
// How many sets of at least so many players were asked about anew: in company, or alone if none was in company.
int64_t asked_anew(const EstimatedEffects& found, size_t least_players);

// `game` is that of the question.
EstimatedEffects estimated_effects(Game& game, ExplainedModel& model, const Question& question,
                                   const EstimateWish& wish, const Progress& progress);

// An index by an estimator of its own, and how it agrees with the one that follows from the effects.
struct DirectIndex {
  Effects effects;
  std::vector<double> standard_errors;
  double degrees_of_freedom = 0;
  int64_t evaluations = 0;
  int64_t compared = 0,
          agree = 0;  // sets that either of them has; whose two values differ by less than both 95 % errors

  std::vector<double> intervals() const;
};

// shapley, sii, stii or fsii of pairs; kind argument for others.
DirectIndex direct_index(const InteractionIndex& index, Game& game, int64_t evaluations, uint64_t seed,
                         const Progress& progress);
// Counts where the two agree. `degrees_of_freedom`: of the effects that the other follows from.
void hold_against(DirectIndex& direct, const SparseIndex& derived, double degrees_of_freedom);

// "R2 0.953 +- 0.004 on 2,000 coalitions that were not used"; "nothing to explain ..." if all values are alike.
std::string held_out_text(const HeldOut& held_out);
// "J(S) of 42 effects and of 300 pairs that derivatives point to, exactly; 19 in 20 of the others, of at most 3
// players, are off by less than 0.12".
std::string looked_up_text(const VerifiedEffects& verified);
// Nothing was found to rely on: a warning, or empty.
std::string weak_text(const HeldOut& held_out);

}  // namespace ascribe::core::study
