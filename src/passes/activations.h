// Functions of one number, element by element: what the rules call an activation.
#pragma once

#include "graph/builder.h"

namespace ascribe::core {

// Pointwise, of one operand: activations, but also neg and rounding.
bool is_function_of_one_number(const Op& op);

// Such a function that is neither linear nor piecewise constant, as its class tells; and powers, of their base.
bool is_activation(const Op& op);

// An activation made of straight pieces, like relu. The slope between two points loses nothing to rounding there.
bool is_piecewise_linear(const Op& op);

// The function of node `self` at other arguments.
Value activation_at(Builder& b, const Node& self, Value x);

// gradient * d y / d x at the node `self` of the builder's graph, or at another x with its y.
Value activation_gradient(Builder& b, const Node& self, Value x, Value y, Value gradient);

}  // namespace ascribe::core
