#include "graph/graph.h"

namespace ascribe {

std::vector<int> Graph::reader_counts() const {
  std::vector<int> counts(nodes.size(), 0);
  for (const Node& node : nodes) {
    for (const Value input : node.inputs) ++counts[static_cast<size_t>(input.index)];
  }
  for (const Port& port : outputs) ++counts[static_cast<size_t>(port.value.index)];
  return counts;
}

}  // namespace ascribe
