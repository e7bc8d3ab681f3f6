// The constants of one session, which it shares with the others of its model (runtime/workspace.h).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "runtime/workspace.h"

namespace ascribe::core {

class ConstantStore {
 public:
  using Packed = Weight::Packed;

  // Takes the constants out of the graph.
  ConstantStore(Graph& graph, DType real, Workspace& workspace);

  Tensor plain(Value value) { return weights_.at(value)->plain(); }
  Packed packed(Value value, const std::string& key, size_t bytes, const Weight::Pack& pack,
                const Weight::Unpack& unpack);
  // Drops originals that nobody reads plain any more, so that weights are in memory once.
  void release_originals();

 private:
  std::map<Value, std::shared_ptr<Weight>> weights_;
  Workspace& workspace_;
};

}  // namespace ascribe::core
