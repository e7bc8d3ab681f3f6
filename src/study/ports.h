// Inputs and outputs of a model as results hold them.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "graph/graph.h"

namespace ascribe::core::study {

struct PortInfo {
  std::string name, type;
  Dims shape;
};

std::vector<PortInfo> port_infos(const Graph& graph, const std::vector<Port>& ports);

Json to_json(const PortInfo& port);  // {name, type, shape}; dimensions that grow as text

}  // namespace ascribe::core::study
