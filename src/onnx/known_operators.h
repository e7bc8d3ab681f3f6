// Which nodes of a file can be read: their operators have lowerings, and the lowerings know their opset and attributes.
#pragma once

#include <vector>

#include "onnx/flat_model.h"
#include "onnx/lowering.h"

namespace ascribe::core {

// "Conv", "com.microsoft.FusedMatMul"
std::string full_name(const onnx::NodeProto& node);

// The lowering of a node's operator, by its full name; null if there is none.
const Lowering* find_lowering(const onnx::NodeProto& node);

// The newest opset of a domain whose operators are known; 0: none of the domain's are.
int64_t newest_opset(const std::string& domain);

// Whether the lowering of this node does not know the opset, or an attribute.
bool goes_beyond_lowering(const onnx::NodeProto& node, int64_t opset);

// Refuses, all of them together (kind unsupported), operators without a lowering, opsets that are too new and
// attributes that a lowering does not know. Attributes given twice or without a value are errors of the model.
void check_known(const std::vector<FlatNode>& nodes, const std::string& file);

}  // namespace ascribe::core
