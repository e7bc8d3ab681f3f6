// Brings a graph into the form that the runtime and the relevance rules expect:
// constant factors and shifts after a convolution or matrix product (BatchNorm) become
// part of its weights and bias, and nothing is computed that no output needs.
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

Graph canonicalize(const Graph& graph);

}  // namespace ascribe::core
