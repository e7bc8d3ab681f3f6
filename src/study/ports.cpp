#include "study/ports.h"

namespace ascribe::core::study {

std::vector<PortInfo> port_infos(const Graph& graph, const std::vector<Port>& ports) {
  std::vector<PortInfo> infos;
  for (const Port& port : ports) infos.push_back({port.name, port.element_type, graph[port.value].type.shape});
  return infos;
}

Json to_json(const PortInfo& port) {
  Json shape = Json::list();
  for (const Dim& dim : port.shape) shape.push(dim.is_fixed() ? Json(dim.fixed) : Json(to_string(dim)));
  return Json::object({{"name", port.name}, {"type", port.type}, {"shape", std::move(shape)}});
}

}  // namespace ascribe::core::study
