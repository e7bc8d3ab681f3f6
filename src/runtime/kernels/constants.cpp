#include "runtime/kernels/constants.h"

namespace ascribe::core {

ConstantStore::ConstantStore(Graph& graph, DType real, Workspace& workspace) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    if (node.op->name == "constant") weights_[{static_cast<int32_t>(i)}] = workspace.weight(node.constant, real);
    node.constant = {};
  }
}

void ConstantStore::release_originals() {
  for (auto& [value, weight] : weights_) weight->release_original();
}

}  // namespace ascribe::core
