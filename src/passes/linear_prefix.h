// A model cut in two behind the linear layer that its input enters first. What lies before the cut, L, is affine:
// along a path or between masked inputs its values need no second run, and its transpose acts once on a sum.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace ascribe::core {

struct LinearPrefix {
  Graph prefix;       // input 0: the explained input; output 0: h = L(x), with the layer's bias
  Graph suffix;       // inputs: the model's, with h in the place of the explained one; outputs: the model's
  int64_t inner = 0;  // numbers in a row of h
  int64_t outer = 0;  // numbers in a row of the input
};

// Nothing if the input has several readers, or no convolution or matrix product with constant weights comes before the
// first operation that is not affine. The cut is behind the last such product of the chain and its bias.
std::optional<LinearPrefix> split_linear_prefix(const Graph& graph, size_t input);

// The transpose of L: its input has the shape of h, its output that of the explained input.
Graph transposed_prefix(const LinearPrefix& cut);

}  // namespace ascribe::core
