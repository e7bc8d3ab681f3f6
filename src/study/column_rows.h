// A table for a model that has an input for each column: columns go to the inputs of their names, texts become codes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/inputs.h"
#include "onnx/importer.h"

namespace ascribe::core::study {

struct ColumnReading {
  const std::vector<InputSlot>& slots;
  const std::map<std::string, std::vector<TextColumn>>& texts;  // of the inputs that hold them
  const DataOptions& options;
};

// The rows of a table (its text; `path` for messages) for every input. Columns that no input is called are left out
// with a note, unless they are as many as the model has and the table does not name them.
std::map<std::string, Batch> read_columns(const ColumnReading& reading, std::string_view text, const std::string& path,
                                          std::vector<std::string>& notes);

}  // namespace ascribe::core::study
