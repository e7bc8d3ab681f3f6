// What the output loses when players are put at the baseline, and what an attribution says that it loses.
//   of the network       f(x) - f(x with the set at b), the mean over several baselines
//   of an attribution    sum over the set of a_i, contributions; of a_i (x_i - b_i), slopes
#pragma once

#include "metrics/metric.h"
#include "metrics/player_sets.h"

namespace ascribe::core {

// What the output loses without each set of the question's players.
std::vector<double> lost_without(ExplainedModel& model, const Question& question, std::span<const PlayerSet> sets,
                                 const Progress& progress = {});

// What each player of `players` loses at the baseline, as the method sees it. The attribution answers `question`.
std::vector<double> claimed_losses(const ExplainedModel& model, const Question& question, const Players& players,
                                   const Method& method, const Attribution& attribution);

// x - b for each element, the mean over several baselines.
std::vector<double> input_changes(const ExplainedModel& model, const Question& question);

// What rounding may do to outputs of this size.
double rounding_of(const ExplainedModel& model, double size);

}  // namespace ascribe::core
