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

// How close two points must be for the slope between them to be the derivative's.
struct Closeness {
  double absolute = 0, relative = 0;
};
constexpr Closeness kEqual = {};
// Below this distance the slope between two points of a smooth function is lost to rounding, in float precision: one
// part in 1e7 of y, divided by it. The mean of the derivatives at both ends is off by its cube, 1e-12, and takes over.
constexpr Closeness kSmooth = {1e-4, 0};

// g (y - y_b) / (x - x_b), or the tangent where x and x_b are close.
Value secant(Builder& b, Value g, Value y, Value y_b, Value x, Value x_b, Value tangent, Closeness close);

// A point of an activation, for slopes between it and others; those of relu need its x only.
struct ActivationPoint {
  Value x, y;
  Value tangent;  // g s'(x)
};
ActivationPoint activation_point(Builder& b, const Node& self, Value g, Value x, Value y);
ActivationPoint activation_point(Builder& b, const Node& self, Value g, Value x);

// g times the slope of the activation between two points. It is continuous: where they meet it is the derivative.
Value activation_slope(Builder& b, const Node& self, Value g, const ActivationPoint& to, const ActivationPoint& from);

}  // namespace ascribe::core
