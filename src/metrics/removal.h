// Removal: sets of players are put at the baseline. What the output then loses, and what an attribution says that
// it loses.
//   of the network       f(x) - f(x with the set at b), the mean over several baselines
//   of an attribution    sum over the set of a_i, contributions; of a_i (x_i - b_i), slopes
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/random.h"
#include "metrics/metric.h"

namespace ascribe::core {

using PlayerSet = std::vector<int64_t>;  // players, by number

// The question with every pixel as a player; as it is if the row is no image. What nobody owned, nobody owns.
Question question_of_pixels(const Question& question);

// What the output loses without each set of the question's players.
std::vector<double> lost_without(ExplainedModel& model, const Question& question, std::span<const PlayerSet> sets,
                                 const Progress& progress = {});

// x - b for each element, the mean over several baselines.
std::vector<double> input_changes(const ExplainedModel& model, const Question& question);

// What each player of `players` loses at the baseline, as the method sees it. The attribution answers `question`.
std::vector<double> claimed_losses(const ExplainedModel& model, const Question& question, const Players& players,
                                   const Method& method, const Attribution& attribution);

// What rounding may do to outputs of this size.
double rounding_of(const ExplainedModel& model, double size);

double sum_over(const PlayerSet& set, std::span<const double> values);

// Draws of a metric for one question: they depend on seed, stream and the metric, and on nothing else.
Random draws_of(const MetricInput& input, size_t question, std::string_view metric);

// Without replacement: `size` of `players`, in rising order; draw number `index`.
PlayerSet drawn_set(const Random& random, uint64_t index, int64_t players, int64_t size);

// A number of players: below 1 a share of all, otherwise the number itself. At least one; fails, kind argument, if
// there are not as many.
int64_t set_size(std::string_view metric, double given, int64_t players);

// Calls the metric's work for each question in turn, and reports how far it is. `work` gives a score per method.
Scores question_by_question(const MetricInput& input, const std::function<std::vector<Score>(size_t question)>& work);

}  // namespace ascribe::core
