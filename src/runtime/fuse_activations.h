// Activations that exporters spell as several operations become the one that kernels know, so that convolutions and
// matrix products compute them on the way. Only the runtime sees it: passes and rules see the graph as it was.
#pragma once

#include "graph/graph.h"

namespace ascribe::core {

// x sigmoid(x) becomes silu; x clip(x / 6 + 1/2, 0, 1) and x clip(x + 3, 0, 6) / 6 become hard_swish. What lies
// between stays for those who read it, too. A value that is repeated over positions only to be added or multiplied is
// broadcast instead.
void fuse_activations(Graph& graph);

}  // namespace ascribe::core
