// The random numbers of a metric.
#pragma once

#include "base/random.h"
#include "metrics/metric.h"

namespace ascribe::core {

// Draws of a metric for one question: they depend on seed, stream and the metric, and on nothing else.
Random draws_of(const MetricInput& input, size_t question, std::string_view metric);

}  // namespace ascribe::core
