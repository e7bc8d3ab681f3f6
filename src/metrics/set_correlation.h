// Correlation between what random sets of players are said to contribute and what the output loses without them.
#pragma once

#include "base/random.h"
#include "metrics/metric.h"

namespace ascribe::core {

// For each method, over `count` random sets of `size` players: Pearson's correlation, or why there is none. `first`:
// the number of the first draw.
std::vector<Score> set_correlations(const MetricInput& input, size_t question, const Random& random, uint64_t first,
                                    int64_t size, int64_t count);

}  // namespace ascribe::core
