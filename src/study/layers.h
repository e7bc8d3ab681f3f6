// What settings can name inside a network: layers of rule sets (rules=NAME:RULE), maps (layer=NAME) and nodes that a
// question may enter at.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "graph/graph.h"

namespace ascribe::core::study {

struct LayerInfo {
  std::string name;        // of its node in the file; empty: it has none, and is named by its number
  std::string operation;   // "conv", "gemm", "relu"
  Dims shape;              // of its result
  bool has_map = false;    // `layer` of Grad-CAM takes it
  bool usual_map = false;  // and takes it if no other is named
  bool enters = false;     // `at` takes it
  std::string kind = {};   // in rule sets: "conv" or "dense", with weights; "pool", "add", "product" or "softmax"
  std::optional<int64_t> number = {};             // among those with weights, from 0
  std::map<std::string, std::string> rules = {};  // of those with weights, by method, if nothing is set
};

// In the order of the network. Layers of rule sets are those of the first real output.
std::vector<LayerInfo> layers_of(const Graph& model);

Json to_json(const LayerInfo& layer);

}  // namespace ascribe::core::study
