#include "passes/activations.h"

#include <array>

#include "passes/gradient.h"

namespace ascribe::core {

bool is_function_of_one_number(const Op& op) { return op.traits.pointwise && op.max_inputs == 1; }

bool is_activation(const Op& op) {
  if (op.op_class == OpClass::elementwise) return true;
  const bool bends = op.op_class == OpClass::selection || op.op_class == OpClass::composite;
  return bends && is_function_of_one_number(op);
}

bool is_piecewise_linear(const Op& op) { return op.op_class == OpClass::selection && is_activation(op); }

Value activation_at(Builder& b, const Node& self, Value x) {
  std::vector<Value> inputs = self.inputs;
  inputs[0] = x;
  return b.op(self.op->name, std::move(inputs), self.attributes);
}

Value activation_gradient(Builder& b, const Node& self, Value x, Value y, Value gradient) {
  std::vector<Value> inputs = self.inputs;
  inputs[0] = x;
  const DerivativeRequest request{b, inputs, y, self.attributes, 0};
  if (self.op->adjoint != nullptr) return self.op->adjoint(request, gradient);
  if (self.op->derivative != nullptr) return b.mul(gradient, self.op->derivative(request));
  const Value lowered = self.op->lower(b, inputs, self.attributes);
  if (b.is_constant(lowered)) return b.mul(gradient, 0);
  return append_gradient(b, lowered, gradient, std::array{x})[0];
}

namespace {

// 1 / x, powers and logarithms have no scale of their own: there the relative distance counts.
Closeness closeness_for(const Op& op) {
  if (is_piecewise_linear(op)) return kEqual;
  return op.traits.scale_free ? Closeness{0, kSmooth.absolute} : kSmooth;
}

}  // namespace

Value secant(Builder& b, Value g, Value y, Value y_b, Value x, Value x_b, Value tangent, Closeness close) {
  return b.op("secant", {g, y, y_b, x, x_b, tangent},
              {{"absolute", reals({close.absolute})}, {"relative", reals({close.relative})}});
}

ActivationPoint activation_point(Builder& b, const Node& self, Value g, Value x, Value y) {
  if (self.op->name == "relu") return {x, y, {}};
  return {x, y, activation_gradient(b, self, x, y, g)};
}

ActivationPoint activation_point(Builder& b, const Node& self, Value g, Value x) {
  if (self.op->name == "relu") return {x, {}, {}};
  return activation_point(b, self, g, x, activation_at(b, self, x));
}

Value activation_slope(Builder& b, const Node& self, Value g, const ActivationPoint& to, const ActivationPoint& from) {
  if (self.op->name == "relu") {  // one walk over memory instead of two
    return b.op("secant", {g, to.x, from.x}, {{"absolute", reals({0})}, {"relative", reals({0})}});
  }
  const Value tangent = is_piecewise_linear(*self.op) ? to.tangent : b.mul(b.add(to.tangent, from.tangent), 0.5);
  return secant(b, g, to.y, from.y, to.x, from.x, tangent, closeness_for(*self.op));
}

}  // namespace ascribe::core
