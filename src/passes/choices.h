// The choices that a network makes: which side of its kinks a row is on. As long as two rows make the same choices, one
// smooth function passes through both, and a Taylor series at one may reach the other (docs/theory/kinks.md).
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

// Outputs [N, ...], a real number for every choice: where relu, leaky_relu, clip, abs, max-pooling, maxima, minima and
// comparisons of real values that depend on an input stand, and floor, sign and the like. None: the network is smooth.
// What softmax and other smooth functions compare within their own formulas is none.
Graph choices_of(const Graph& graph);

// The operations that choose, described; each once.
std::vector<std::string> kinks_in(const Graph& graph);
// Whether there are any.
bool has_kinks(const Graph& graph);

}  // namespace ascribe::core
