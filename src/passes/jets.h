// A graph on truncated Taylor series: the coefficients c_k of f(x + t v) = sum over k of c_k t^k, normalised
// (c_k = f^(k) / k!), as a graph of core operations. The class of an operation says how (docs/theory/jets.md).
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

struct JetOptions {
  int order = 1;
  std::vector<std::string> inputs = {};  // those that move; empty: all real ones
  // One point for all rows: its inputs have one row, the directions N. The values that do not depend on the
  // direction are computed once. Only for graphs in which rows are N and nothing else grows: see can_share_point.
  bool shared_point = false;
};

// Inputs: the graph's own (the point), and for each that moves its direction, named "v.<input>".
// Outputs: for each of the graph's real outputs the coefficients 0 .. order, named "<output>.<k>".
Graph jets(const Graph& graph, const JetOptions& options);

bool can_share_point(const Graph& graph);

}  // namespace ascribe::core
