// The constants of one session. Kernels that pack a weight keep the packed copy here,
// shared by the plans of all batch sizes; originals that only packed copies stand for
// are released, so that weights are in memory once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

class ConstantStore {
 public:
  using Packed = std::shared_ptr<void>;
  // Makes the packed form from the plain one.
  using Pack = std::function<Packed(const Tensor& plain)>;
  // Gives the plain form back from a packed one.
  using Unpack = std::function<Tensor(const Packed& packed)>;

  // Takes the constants out of the graph.
  ConstantStore(Graph& graph, DType real);

  // In the session's precision, row-major. Keeps the original alive.
  Tensor plain(Value value);
  // The packed copy under `key`, made on first use; it takes `bytes`.
  Packed packed(Value value, const std::string& key, size_t bytes, const Pack& pack, const Unpack& unpack);
  // Drops originals that nobody reads plain any more.
  void release_originals();
  // What originals and packed copies take together.
  size_t bytes() const;

 private:
  struct Entry {
    Tensor original;
    bool read_plain = false;
    size_t packed_bytes = 0;
    std::map<std::string, std::pair<Packed, Unpack>> packed;
  };
  Tensor original(Entry& entry) const;

  std::map<Value, Entry> entries_;
  DType real_;
};

}  // namespace ascribe::core
