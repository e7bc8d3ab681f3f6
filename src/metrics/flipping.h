// Pixel flipping: players go, or come, in the order of their values, and the output is followed.
#pragma once

#include "metrics/metric.h"

namespace ascribe::core {

enum class Flip {
  away,  // from x towards the baseline
  in,    // from the baseline towards x
};

// `steps` and `scale`.
std::vector<Parameter> flipping_parameters();

// The curve, and the area below it as the score.
Scores score_flipping(const MetricInput& input, Flip flip);

}  // namespace ascribe::core
