// The gradient at points other than x, inside a graph: the model once more, with several rows for each row of x.
#pragma once

#include <span>
#include <vector>

#include "methods/method.h"

namespace ascribe::core {

// x seen as [R, times, ...] where it has R * times rows; with times = 1 an axis that points can broadcast along.
Value with_points_axis(Builder& b, Value x, int64_t times);
// The way back: [R, times, ...] as [R * times, ...].
Value as_rows(Builder& b, Value x);

// Gradients of f at `points`, one value for each of the request's inputs with `times` rows for each of its rows; other
// inputs of the model are repeated. Fails, kind unsupported, if the model is for one row only.
std::vector<Value> gradients_at(const AttributionRequest& request, std::span<const Value> points, int64_t times);

}  // namespace ascribe::core
