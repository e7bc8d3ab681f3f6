#include "passes/differentiable.h"

#include <algorithm>

namespace ascribe::core {

bool is_identity_in_derivatives(const Op& op) { return op.name == "cast" || op.traits.straight_through; }

bool carries_derivative(const Graph& graph, const Node& node, size_t operand) {
  if (node.type.kind != Kind::real || graph[node.inputs[operand]].type.kind != Kind::real) return false;
  if (static_cast<int>(operand) == node.op->choice) return false;
  if (node.op->op_class == OpClass::opaque) {
    require_derivative(node);
    fail(ErrorKind::unsupported, describe(node),
         "only the values of this function are known, so it has no derivative; methods that mask the input do without");
  }
  return node.op->op_class != OpClass::plumbing || is_identity_in_derivatives(*node.op);
}

bool is_flat(const Node& node) {
  return node.op->op_class == OpClass::plumbing && node.type.kind == Kind::real &&
         !is_identity_in_derivatives(*node.op);
}

void require_derivative(const Node& node) {
  if (node.op->refusal == nullptr) return;
  if (const std::string why = node.op->refusal(node.attributes); !why.empty()) {
    fail(ErrorKind::unsupported, describe(node), "{}", why);
  }
}

std::vector<Port> moving_inputs(const Graph& graph, std::span<const std::string> names) {
  std::vector<Port> chosen;
  for (const Port& port : graph.inputs) {
    const bool is_real = graph[port.value].type.kind == Kind::real;
    const bool named = std::find(names.begin(), names.end(), port.name) != names.end();
    if (named && !is_real) {
      fail(ErrorKind::argument, port.name, "only reals have a derivative; got {}", to_string(graph[port.value].type));
    }
    if (is_real && (named || names.empty())) chosen.push_back(port);
  }
  if (chosen.empty() || (!names.empty() && chosen.size() != names.size())) {
    fail(ErrorKind::argument, "inputs", "there is no real input of that name; got '{}'",
         fmt::join(names.begin(), names.end(), ", "));
  }
  return chosen;
}

}  // namespace ascribe::core
