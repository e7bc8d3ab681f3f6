// compare and audit for more players than every set can be masked of: by the rules of methods that share out the
// effects of sets (theory/allocation.h), on effects that are estimated (study/estimated_effects.h). Everything that
// depends on the effects carries their error, and a verdict that the error may have caused is left open.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/choice.h"
#include "study/estimated_effects.h"
#include "study/few_players.h"
#include "theory/allocation.h"
#include "theory/principles.h"

namespace ascribe::core::study {

// The rule by which a method shares out the effects of sets, whatever the network is; null: there is none.
const AllocationRule* rule_of_sets(const ChosenMethod& chosen);

// As many evaluations as the time allows. Refuses, kind argument, a budget of time that is too small for any.
EstimatedEffects effects_within(const FewPlayers& asked, Spending& spending, const TimeKeeping& time,
                                const Running& running);

// A set whose effect two methods share out differently.
struct EstimatedDifference {
  std::vector<int> support;
  double effect = 0, effect_error = 0;  // errors: half of 95 % intervals
  double share = 0, share_error = 0;    // of the difference of the two attributions
  double first = 0, second = 0;         // what each of its players is given of the effect by the one and by the other
};

struct EstimatedComparison {
  EstimatedEffects found;
  std::vector<EstimatedDifference> sets;  // the largest share first
  double explained = 0;                   // of the difference: the shares of all sets
};

// `first`, `second`: what the methods give, as they run.
EstimatedComparison compare_estimated(EstimatedEffects found, const std::vector<double>& first,
                                      const std::vector<double>& second, const AllocationRule& one,
                                      const AllocationRule& other);

struct EstimatedPrinciples {
  ChosenMethod chosen;
  PrincipleFigures figures, errors;
  Verdicts verdicts;
};
EstimatedPrinciples judge_estimated(const ChosenMethod& chosen, const AllocationRule& rule,
                                    const EstimatedEffects& found, DType real);

// {estimator, evaluations, effects, held_out...}: what estimated figures rest on.
Json basis_json(const EstimatedEffects& found);
// "estimated from 20,000 evaluations: R2 ..."
std::string basis_text(const EstimatedEffects& found);

}  // namespace ascribe::core::study
