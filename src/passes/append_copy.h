// The same network once more, at other inputs: baselines beside x, points of a path, masked rows.
#pragma once

#include <span>
#include <vector>

#include "graph/builder.h"

namespace ascribe::core {

// Where the values of a model are in a graph.
struct Placed {
  std::vector<Value> values;  // of every node of the model
  Value operator()(Value in_model) const { return values[static_cast<size_t>(in_model.index)]; }
};

// The model where it is: at the beginning of the builder's graph.
Placed placed_here(const Graph& model);

// Appends the nodes of `model` that `outputs` need, at these inputs (one for each of its inputs). The inputs have
// `rows_factor` rows for each row N of the model's. Constants are shared: `model` must be the beginning of the
// builder's graph. Nodes that are not needed keep an invalid place.
Placed append_copy(Builder& builder, const Graph& model, std::span<const Value> inputs, std::span<const Value> outputs,
                   int64_t rows_factor = 1);

// Every row of x `times` times, one copy behind the other: [N, ...] -> [N * times, ...].
Value repeat_rows(Builder& builder, Value x, int64_t times);
// The mean of `times` rows that follow each other: the way back.
Value mean_of_rows(Builder& builder, Value x, int64_t times);

}  // namespace ascribe::core
