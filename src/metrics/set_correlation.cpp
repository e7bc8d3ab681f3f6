#include "metrics/set_correlation.h"

#include <cmath>

#include "metrics/losses.h"
#include "metrics/statistics.h"

namespace ascribe::core {

std::vector<Score> set_correlations(const MetricInput& input, size_t q, const Random& random, uint64_t first,
                                    int64_t size, int64_t count) {
  const Question& question = input.questions[q];
  std::vector<PlayerSet> sets;
  for (int64_t i = 0; i < count; ++i) {
    sets.push_back(drawn_set(random, first + static_cast<uint64_t>(i), question.players.count(), size));
  }
  const std::vector<double> lost = lost_without(input.model, question, sets);
  std::vector<Score> scores;
  for (const MethodExplanations& one : input.methods) {
    const Attribution& attribution = one.attributions[q];
    if (!varies(lost, rounding_of(input.model, std::abs(attribution.output)))) {
      scores.push_back(undefined_score("the output changes by the same amount whichever players are removed"));
      continue;
    }
    const auto values = claimed_losses(input.model, question, question.players, one.method, attribution);
    std::vector<double> claimed;
    for (const PlayerSet& set : sets) claimed.push_back(sum_over(set, values));
    const auto correlation = pearson_correlation(claimed, lost);
    scores.push_back(correlation ? Score{*correlation}
                                 : undefined_score("all sets of players have the same value in the attribution"));
  }
  return scores;
}

}  // namespace ascribe::core
