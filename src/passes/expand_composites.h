// Rewrites operations by their lowerings, so that what is left can be differentiated or run on jets.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

struct Expanded {
  Graph graph;
  std::vector<Value> values;  // where each value of the old graph is in the new one
};

// With keep_adjoints, operations that bring an adjoint of their own stay as they are.
Expanded expand_composites(const Graph& graph, bool keep_adjoints);
// Operations for which `keep` holds stay as they are.
Expanded expand_composites(const Graph& graph, bool (*keep)(const Op&));

}  // namespace ascribe::core
