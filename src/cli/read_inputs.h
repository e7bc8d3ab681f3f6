// The files of a command line as the inputs of a model.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "data/inputs.h"
#include "model/model.h"

namespace ascribe::core {

struct ModelInputs {
  std::vector<Tensor> tensors;                      // one per input of the graph
  std::vector<std::string> sources;                 // where each row comes from
  std::vector<std::string> columns;                 // names of features, if the data are a table
  std::vector<std::optional<RowPicture>> pictures;  // per input of the graph: how its rows hold images, if they may
};

// Several files are rows of one batch. A model of several inputs takes NAME=FILE for each, or
// one .npz file with those names.
ModelInputs read_inputs(const Model& model, const InputOptions& options, std::vector<std::string>& notes);

// One input of the model, as data have to fit it.
InputSlot input_slot(const Model& model, size_t input);

// One more file of rows for one input of the model: a baseline.
Batch read_rows(const Model& model, size_t input, const std::string& path, const InputOptions& options,
                std::vector<std::string>& notes);

}  // namespace ascribe::core
