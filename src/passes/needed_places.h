// Nothing is computed at places that no output needs: of a classifier that reads the first token only, the last block
// is computed for that token alone, and so is everything that is derived from the graph (its gradient).
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// The same outputs. What is needed is followed from slices and from gathers of one place back through operations that
// keep places apart: those that act number by number, products with the places in their rows, normalisations over
// other axes, moves. It ends at a value that others need whole; nothing is computed twice.
Graph only_needed_places(const Graph& graph);

}  // namespace ascribe::core
