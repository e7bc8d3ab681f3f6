#include "runtime/kernels/constants.h"

namespace ascribe::core {

ConstantStore::ConstantStore(Graph& graph, DType real, Workspace& workspace) : workspace_(workspace) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    if (node.op->name == "constant") weights_[{static_cast<int32_t>(i)}] = workspace.weight(node.constant, real);
    node.constant = {};
  }
}

ConstantStore::Packed ConstantStore::packed(Value value, const std::string& key, size_t bytes, const Weight::Pack& pack,
                                            const Weight::Unpack& unpack) {
  Weight& weight = *weights_.at(value);
  if (!weight.is_packed(key)) workspace_.check_packed(bytes);
  return weight.packed(key, bytes, pack, unpack);
}

void ConstantStore::release_originals() {
  for (auto& [value, weight] : weights_) weight->release_original();
}

}  // namespace ascribe::core
