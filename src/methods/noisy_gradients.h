// Gradients at noisy copies of the input, x + N(0, sigma^2) with sigma = noise * (max x - min x), for methods that
// average something of them. All rows get the same draws, as a compiled graph has them frozen in.
#pragma once

#include "methods/method.h"

namespace ascribe::core {

// `samples` and `noise`.
std::vector<Parameter> noise_parameters();

// a_i = mean over the draws of of_slope(df/dx_i), with standard errors.
std::vector<Attribution> mean_over_noise(ExplainedModel& model, std::span<const Question> questions,
                                         const MethodRun& run, double (*of_slope)(double));

// The same in a graph: of_slope of the gradients to each of the request's inputs, averaged over the draws.
std::vector<Value> append_mean_over_noise(const AttributionRequest& request, Value (*of_slopes)(Builder&, Value));

}  // namespace ascribe::core
