// The files of a command line as the inputs of a model.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "data/inputs.h"
#include "model/model.h"

namespace ascribe {

struct ModelInputs {
  std::vector<Tensor> tensors;       // one per input of the graph
  std::vector<std::string> sources;  // where each row comes from
  std::vector<std::string> columns;  // names of features, if the data are a table
};

// Several files are rows of one batch. A model of several inputs takes NAME=FILE for each, or
// one .npz file with those names.
ModelInputs read_inputs(const Model& model, const InputOptions& options, std::vector<std::string>& notes);

}  // namespace ascribe
