// Whether the rows of a batch cannot influence each other, told from the graph alone: no run is needed.
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// True only if every operation on the way from the inputs to the outputs is known to keep rows apart. False says
// nothing: an operation is unknown, or what it does depends on numbers.
bool rows_stay_apart(const Graph& graph);

}  // namespace ascribe::core
