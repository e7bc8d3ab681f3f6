#include "passes/factors.h"

#include <set>

#include "passes/activations.h"
#include "passes/differentiable.h"

namespace ascribe::core {

namespace {

constexpr int kDepth = 8;         // operations that are looked through between a product and what its factor is
constexpr int kMostWritten = 32;  // operations that spell out one activation

bool is_moved(const std::vector<bool>& moved, Value value) { return moved[static_cast<size_t>(value.index)]; }

std::vector<Value> moved_inputs(const Graph& model, const std::vector<bool>& moved, const Node& node) {
  std::vector<Value> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (is_moved(moved, node.inputs[i]) && carries_derivative(model, node, i)) inputs.push_back(node.inputs[i]);
  }
  return inputs;
}

bool is_arithmetic(const std::string& op) { return op == "mul" || op == "add" || op == "sub" || op == "div"; }

// The only operand that is no constant; invalid: there is none, or several.
Value variable_of(const Graph& graph, const Node& node) {
  const bool left = graph[node.inputs[0]].op->op_class == OpClass::source;
  const bool right = graph[node.inputs[1]].op->op_class == OpClass::source;
  const Value variable = node.inputs[left ? 1 : 0];
  return left == right || graph.is(variable, "input") ? Value{} : variable;
}

bool is_gate(const Graph& graph, Value value, bool shifted, int depth) {
  if (depth == 0) return false;
  const Node& node = graph[value];
  const std::string& op = node.op->name;
  const Traits traits = traits_of(node);
  if (traits.bounded && (traits.sign == Sign::never_negative || op == "clip")) return true;
  if (traits.bounded && traits.rises) return shifted;
  if (op == "reciprocal") return true;
  if (traits.moves && op != "concat") return is_gate(graph, node.inputs[0], shifted, depth - 1);
  if (!is_arithmetic(op)) return false;
  const Value variable = variable_of(graph, node);
  return variable.valid() && is_gate(graph, variable, shifted || op == "add" || op == "sub", depth - 1);
}

bool is_negative_constant(const Graph& graph, Value value) {
  if (!graph.is(value, "constant")) return false;
  const Tensor& constant = graph[value].constant;
  for (int64_t i = 0; i < constant.size(); ++i) {
    if (!(constant.at(i) < 0)) return false;
  }
  return constant.size() > 0;
}

bool divides(const Graph& graph, Value value, int depth) {
  if (depth == 0) return false;
  const Node& node = graph[value];
  const std::string& op = node.op->name;
  if (op == "reciprocal") return true;
  if (op == "pow") return is_negative_constant(graph, node.inputs[1]);
  if (traits_of(node).moves && op != "concat") return divides(graph, node.inputs[0], depth - 1);
  if (op != "mul" && op != "div") return false;
  const Value variable = variable_of(graph, node);
  if (!variable.valid()) return false;
  return (op == "div" && variable == node.inputs[1]) || divides(graph, variable, depth - 1);
}

}  // namespace

bool is_gate(const Graph& graph, Value value) { return is_gate(graph, value, false, kDepth); }

bool divides(const Graph& graph, Value value) { return divides(graph, value, kDepth); }

bool is_softmax_weight(const Graph& model, const std::vector<bool>& moved, Value value) {
  for (int depth = 0; depth < kMostWritten; ++depth) {
    const Node& node = model[value];
    if (node.op->name == "softmax") return true;
    const std::vector<Value> inputs = moved_inputs(model, moved, node);
    const bool quotient = node.op->name == "div" && is_moved(moved, node.inputs[0]);  // weights, made to sum to 1 again
    const bool linear = (node.op->op_class == OpClass::linear || node.op->op_class == OpClass::bilinear ||
                         node.op->op_class == OpClass::selection || traits_of(node).moves) &&
                        !is_activation(*node.op);
    if (!linear || inputs.empty() || (inputs.size() > 1 && !quotient)) return false;
    value = inputs[0];
  }
  return false;
}

std::optional<Value> activated_by(const Graph& model, const std::vector<bool>& moved, Value product) {
  const Dims& shape = model[product].type.shape;
  std::set<Value> open;  // the last is the one that is computed last
  const auto open_operands = [&](const Node& node) {
    for (const Value input : moved_inputs(model, moved, node)) open.insert(input);
  };
  open_operands(model[product]);
  for (int steps = 0; steps < kMostWritten && open.size() > 1; ++steps) {
    const Value last = *open.rbegin();
    const Node& node = model[last];
    open.erase(last);
    if (!node.op->traits.pointwise || node.type.shape != shape) return std::nullopt;
    open_operands(node);
  }
  if (open.size() != 1 || model[*open.begin()].type.shape != shape) return std::nullopt;
  return *open.begin();
}

bool is_multiple_of(const Graph& model, const std::vector<bool>& moved, Value value, Value of) {
  for (int depth = 0; depth < kMostWritten && value != of; ++depth) {
    const Node& node = model[value];
    const std::string& op = node.op->name;
    if (op != "mul" && op != "div" && op != "neg") return false;
    if (moved_inputs(model, moved, node).size() != 1 || (op == "div" && !is_moved(moved, node.inputs[0]))) return false;
    value = moved_inputs(model, moved, node)[0];
  }
  return value == of;
}

}  // namespace ascribe::core
