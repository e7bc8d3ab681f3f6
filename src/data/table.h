// Tables of numbers in text: .csv, also with ; or tabs between the fields, which may be
// quoted. The first line names the columns unless it holds numbers only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace ascribe {

struct Table {
  std::vector<std::string> columns;  // names; "0", "1", ... if the file has none
  Tensor values;                     // [rows, columns], float64
};

// `columns`: which to read, by name, by number from 0, or as a range a:b; empty: all.
// A cell that is not a finite number is refused, naming its line and column.
Table parse_table(std::string_view text, const std::vector<std::string>& columns, const std::string& where);

}  // namespace ascribe
