// How attributions change when the input is disturbed a little (Yeh et al., 2019, section 3).
//   |a(x + d) - a(x)| / |a(x)|,   d uniform in [-radius, radius] for each element, Euclidean norms
#pragma once

#include "metrics/metric.h"

namespace ascribe::core {

// `radius` and `samples`.
std::vector<Parameter> attribution_change_parameters();

// The changes for each draw as one score: `summed_up` makes a number of them.
Scores score_attribution_changes(const MetricInput& input, double (*summed_up)(std::span<const double> changes));

}  // namespace ascribe::core
