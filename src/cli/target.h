// Which class a user means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

// By its number or its label; `words` are the other values that --target takes, for the complaint.
int64_t class_index(const std::string& text, const std::vector<std::string>& labels, std::string_view words);

// Complains if there are labels, and not as many as the output has positions.
void check_labels(const std::vector<std::string>& labels, const Graph& model, const Port& output,
                  const std::string& path);

}  // namespace ascribe::core
