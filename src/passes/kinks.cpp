#include "passes/kinks.h"

#include <algorithm>
#include <vector>

namespace ascribe::core {

namespace {

// A selection that has its choice as an operand bends only where that operand moves.
bool bends(const Node& node, const std::vector<bool>& moved) {
  const auto moves = [&](Value input) { return moved[static_cast<size_t>(input.index)]; };
  if (node.op->op_class == OpClass::plumbing) return node.type.kind == Kind::real;
  if (node.op->op_class != OpClass::selection) return false;
  return node.op->name == "where" ? moves(node.inputs[0]) : true;
}

}  // namespace

bool has_kinks(const Graph& model) {
  std::vector<bool> moved(model.nodes.size(), false);
  for (const Port& port : model.inputs) moved[static_cast<size_t>(port.value.index)] = true;
  for (size_t i = 0; i < moved.size(); ++i) {
    const Node& node = model.nodes[i];
    const bool reached = std::any_of(node.inputs.begin(), node.inputs.end(),
                                     [&](Value input) { return moved[static_cast<size_t>(input.index)]; });
    if (reached && bends(node, moved)) return true;
    moved[i] = moved[i] || reached;
  }
  return false;
}

}  // namespace ascribe::core
