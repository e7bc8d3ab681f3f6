#include "passes/activations.h"

#include <algorithm>
#include <array>

#include "passes/gradient.h"

namespace ascribe::core {

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_piecewise_linear(const Op& op) { return is_one_of(op.name, {"relu", "leaky_relu", "clip", "abs"}); }

bool is_activation(const Op& op) {
  if (op.op_class == OpClass::elementwise) return true;
  return is_piecewise_linear(op) || is_one_of(op.name, {"gelu", "silu", "hard_swish", "elu", "mish"});
}

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
