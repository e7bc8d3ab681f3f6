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

}  // namespace ascribe::core
