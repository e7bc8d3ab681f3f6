// Which nodes of a file can be read: their operators have lowerings, and the lowerings know their opset and attributes.
#pragma once

#include <vector>

#include "onnx/flat_model.h"

namespace ascribe::core {

// "Conv", "com.microsoft.FusedMatMul"
std::string full_name(const onnx::NodeProto& node);

// The newest opset of the domain whose operators are known: kNewestOpset, 5 of ai.onnx.ml.
int64_t newest_opset(const std::string& domain);

// Refuses, all of them together (kind unsupported), operators without a lowering, opsets that are too new and
// attributes that a lowering does not know. Attributes given twice or without a value are errors of the model.
void check_known(const std::vector<FlatNode>& nodes, const std::string& file);

}  // namespace ascribe::core
