#include "passes/expand_composites.h"

#include <algorithm>

#include "graph/builder.h"

namespace ascribe::core {

namespace {

using Keep = bool (*)(const Op&);

bool expands(const Node& node, Keep keep) {
  return node.op->lower != nullptr && node.type.kind == Kind::real && !keep(*node.op);
}

// One round; what a lowering emits may have a lowering of its own.
Expanded expand_once(const Graph& graph, Keep keep) {
  Expanded result;
  Graph& out = result.graph;
  out.name = graph.name;
  Builder builder(out);
  const auto moved = [&](Value value) { return result.values[static_cast<size_t>(value.index)]; };
  for (const Node& node : graph.nodes) {
    std::vector<Value> inputs;
    for (const Value input : node.inputs) inputs.push_back(moved(input));
    builder.set_name(node.name);
    builder.set_where(describe(node));
    if (expands(node, keep)) {
      result.values.push_back(node.op->lower(builder, inputs, node.attributes));
    } else {
      Node copy = node;
      copy.inputs = std::move(inputs);
      out.nodes.push_back(std::move(copy));
      result.values.push_back({static_cast<int32_t>(out.nodes.size()) - 1});
    }
  }
  out.inputs = graph.inputs;
  out.outputs = graph.outputs;
  for (auto* ports : {&out.inputs, &out.outputs}) {
    for (Port& port : *ports) port.value = moved(port.value);
  }
  return result;
}

}  // namespace

Expanded expand_composites(const Graph& graph, bool keep_adjoints) {
  if (keep_adjoints) return expand_composites(graph, [](const Op& op) { return op.adjoint != nullptr; });
  return expand_composites(graph, [](const Op&) { return false; });
}

Expanded expand_composites(const Graph& graph, Keep keep) {
  Expanded result = expand_once(graph, keep);
  const auto left = [&](const Node& node) { return expands(node, keep); };
  while (std::any_of(result.graph.nodes.begin(), result.graph.nodes.end(), left)) {
    Expanded next = expand_once(result.graph, keep);
    for (Value& value : result.values) value = next.values[static_cast<size_t>(value.index)];
    result.graph = std::move(next.graph);
  }
  return result;
}

}  // namespace ascribe::core
