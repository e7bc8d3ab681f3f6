#include "runtime/kernels/constants.h"

namespace ascribe::core {

ConstantStore::ConstantStore(Graph& graph, DType real) : real_(real) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    if (node.op->name == "constant") entries_[{static_cast<int32_t>(i)}].original = std::move(node.constant);
    node.constant = {};
  }
}

Tensor ConstantStore::original(Entry& entry) const {
  if (!entry.original.empty()) return entry.original;
  require(!entry.packed.empty(), "constants", "a constant was released while it was needed");
  const auto& [packed, unpack] = entry.packed.begin()->second;
  return unpack(packed);
}

Tensor ConstantStore::plain(Value value) {
  Entry& entry = entries_.at(value);
  Tensor tensor = original(entry);
  if (kind_of(tensor.dtype()) == Kind::real) tensor = tensor.cast(real_);
  entry.original = tensor;
  entry.read_plain = true;
  return tensor;
}

ConstantStore::Packed ConstantStore::packed(Value value, const std::string& key, size_t bytes, const Pack& pack,
                                            const Unpack& unpack) {
  Entry& entry = entries_.at(value);
  if (auto it = entry.packed.find(key); it != entry.packed.end()) return it->second.first;
  Packed result = pack(original(entry).cast(real_));
  entry.packed[key] = {result, unpack};
  entry.packed_bytes += bytes;
  return result;
}

void ConstantStore::release_originals() {
  for (auto& [value, entry] : entries_) {
    if (!entry.packed.empty() && !entry.read_plain) entry.original = {};
  }
}

size_t ConstantStore::bytes() const {
  size_t sum = 0;
  for (const auto& [value, entry] : entries_) sum += entry.original.bytes() + entry.packed_bytes;
  return sum;
}

}  // namespace ascribe::core
