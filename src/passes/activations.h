// Functions of one number, element by element: what the rules call an activation.
#pragma once

#include "graph/builder.h"

namespace ascribe::core {

bool is_activation(const Op& op);

// Made of straight pieces: relu, leaky_relu, clip, abs. The slope between two points loses nothing to rounding there.
bool is_piecewise_linear(const Op& op);

// The function of node `self` at other arguments.
Value activation_at(Builder& b, const Node& self, Value x);

// gradient * d y / d x at the node `self` of the builder's graph, or at another x with its y.
Value activation_gradient(Builder& b, const Node& self, Value x, Value y, Value gradient);

}  // namespace ascribe::core
