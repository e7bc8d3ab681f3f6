// Whole numbers as text: a row per line, numbers apart by spaces or commas. Token ids are written so.
#pragma once

#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace ascribe::core {

// A .ids file, or a .txt file whose first line is whole numbers apart by spaces: otherwise it is a table.
bool is_id_lines(std::string_view text, std::string_view path);

// [rows, numbers]. Complains of anything else, and of lines of different lengths.
Tensor parse_id_lines(const std::string& text, const std::string& where,
                      int64_t most = std::numeric_limits<int64_t>::max());

}  // namespace ascribe::core
