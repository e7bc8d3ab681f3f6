// A graph that computes one place of an output's axis instead of all: of a language model the logits of one position,
// which spares the largest product of the network for the others.
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// The output has size 1 on this axis; nothing is computed that it does not need (needed_places.h).
Graph narrowed(const Graph& graph, size_t output, int64_t axis, int64_t place);

}  // namespace ascribe::core
