#include "cli/ports.h"

#include <fmt/format.h>

#include "cli/terminal.h"

namespace ascribe::core {

using Json = nlohmann::ordered_json;

void add_port_lines(std::string_view title, const Graph& graph, const std::vector<Port>& ports,
                    std::vector<std::vector<std::string>>& lines) {
  for (const Port& port : ports) {
    lines.push_back({std::string(title), fmt::format("{}  {} {}", printable(port.name), port.element_type,
                                                     to_string(graph[port.value].type.shape))});
    title = "";
  }
}

Json ports_as_json(const Graph& graph, const std::vector<Port>& ports) {
  Json list = Json::array();
  for (const Port& port : ports) {
    Json shape = Json::array();
    for (const Dim& dim : graph[port.value].type.shape) {
      if (dim.is_fixed()) shape.push_back(dim.fixed);
      else shape.push_back(to_string(dim));
    }
    list.push_back({{"name", port.name}, {"type", port.element_type}, {"shape", shape}});
  }
  return list;
}

}  // namespace ascribe::core
