// What the gradient and the jets agree on: where derivatives flow.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

// Whether a change of this operand changes the node to first order: both are real, and the operand does
// more than choose. Refuses, kind unsupported, an operation that is known by its values only.
bool carries_derivative(const Graph& graph, const Node& node, size_t operand);

// Differentiated as the identity: a cast from real to real, and what rounds straight through.
bool is_identity_in_derivatives(const Op& op);

// Real but piecewise constant: floor, ceil, round, sign. Its derivative is 0.
bool is_flat(const Node& node);

// Refuses, kind unsupported, a node that has no derivative with its attributes.
void require_derivative(const Node& node);

// The inputs with these names, which must be real; none named: all real ones.
std::vector<Port> moving_inputs(const Graph& graph, std::span<const std::string> names);

}  // namespace ascribe::core
