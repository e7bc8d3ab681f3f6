// Whole numbers as text: a row per line, numbers apart by spaces or commas. Token ids are written so.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace ascribe::core {

bool is_id_lines_name(const std::string& path);  // .txt or .ids

// [rows, numbers]. Complains of anything else, and of lines of different lengths.
Tensor parse_id_lines(const std::string& text, const std::string& where);

}  // namespace ascribe::core
