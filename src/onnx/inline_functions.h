// Replaces calls of functions that the model file itself defines by their bodies.
#pragma once

#include <vector>

#include "onnx/flat_model.h"

namespace ascribe::core {

// Takes the nodes out of model.graph. Refuses recursion and bodies that multiply without bound.
std::vector<FlatNode> take_inlined_nodes(onnx::ModelProto& model, const std::string& name);

}  // namespace ascribe::core
