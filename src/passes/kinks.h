// Whether a network is smooth in its inputs.
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// Whether some operation chooses or jumps by what the inputs move: relu, max-pooling, floor. A network without is
// smooth; one with may still be at most points.
bool has_kinks(const Graph& model);

}  // namespace ascribe::core
