// Brings a graph into the form that the runtime and the relevance rules expect: constant factors and shifts behind a
// convolution or matrix product (BatchNorm) become part of its weights and bias, also through operations that only
// rearrange numbers; max(x, 0) becomes relu; and nothing is computed that no output needs.
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// What becomes of a factor behind a product whose weights others read, too (a network and its gradient): it is folded
// into a copy of them, or it stays, so that the weights are shared.
enum class SharedWeights { copy, keep };

Graph canonicalize(const Graph& graph, SharedWeights shared = SharedWeights::copy);

}  // namespace ascribe::core
