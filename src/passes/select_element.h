// The graph whose only output is one element of each row of an output: the scalar that is explained.
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// `element` counts the elements of a row in row-major order. The new output, of shape [N] (or [1], if the
// output has no rows), keeps the name.
Graph select_element(const Graph& graph, size_t output, int64_t element);

}  // namespace ascribe::core
