#include "graph/graph.h"

#include <algorithm>

namespace ascribe::core {

std::string describe(const Node& node) {
  if (node.op->name == "input") return fmt::format("input '{}'", node.name);
  return node.name.empty() ? fmt::format("a node ({})", node.op->name)
                           : fmt::format("node '{}' ({})", node.name, node.op->name);
}

std::string Graph::free_name(std::string wanted) const {
  const auto taken = [&] {
    return std::any_of(inputs.begin(), inputs.end(), [&](const Port& port) { return port.name == wanted; });
  };
  while (taken()) wanted += '_';
  return wanted;
}

std::vector<int> Graph::reader_counts() const {
  std::vector<int> counts(nodes.size(), 0);
  for (const Node& node : nodes) {
    for (const Value input : node.inputs) ++counts[static_cast<size_t>(input.index)];
  }
  for (const Port& port : outputs) ++counts[static_cast<size_t>(port.value.index)];
  return counts;
}

void Graph::drop_unread() {
  std::vector<bool> read(nodes.size(), false);
  for (const Port& port : inputs) read[port.value.index] = true;
  for (const Port& port : outputs) read[port.value.index] = true;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!read[i]) continue;
    for (const Value input : nodes[i].inputs) read[input.index] = true;
  }
  std::vector<Value> moved(nodes.size());
  int32_t kept = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!read[i]) continue;
    moved[i] = {kept++};
    for (Value& input : nodes[i].inputs) input = moved[input.index];
    if (moved[i].index != static_cast<int32_t>(i)) nodes[moved[i].index] = std::move(nodes[i]);
  }
  nodes.resize(kept);
  for (Port& port : inputs) port.value = moved[port.value.index];
  for (Port& port : outputs) port.value = moved[port.value.index];
}

}  // namespace ascribe::core
