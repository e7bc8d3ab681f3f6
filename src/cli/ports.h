// Inputs and outputs of a graph, as commands show them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "graph/graph.h"

namespace ascribe::core {

// A line of two cells per port for print_columns; the first line has the title.
void add_port_lines(std::string_view title, const Graph& graph, const std::vector<Port>& ports,
                    std::vector<std::vector<std::string>>& lines);

nlohmann::ordered_json ports_as_json(const Graph& graph, const std::vector<Port>& ports);

}  // namespace ascribe::core
