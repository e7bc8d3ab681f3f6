// A model file made ready for import: functions inlined, constants and initializers read,
// names resolved, nodes in an order in which they can be computed, unread ones left out.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/importer.h"
#include "onnx/reader.h"

namespace ascribe::core {

struct FlatNode {
  onnx::NodeProto proto;
  int64_t opset = 0;  // of the node's domain; a function may have its own
  std::string where;  // "node 'conv1' (Conv)"
};

struct FlatModel {
  std::string name;  // of the file
  ModelInfo info;
  std::vector<FlatNode> nodes;
  std::unordered_map<std::string, Tensor> weights;
  std::unordered_map<std::string, std::string> element_types;  // as far as the file declares them
  std::vector<onnx::ValueInfoProto> inputs;                    // without initializers
  std::vector<onnx::ValueInfoProto> outputs;
  std::vector<std::string> notes;
};

// Refuses inconsistent files (kind model) and, all at once, operators without a lowering (kind unsupported).
FlatModel flatten(ModelFile& file);

// The nodes of a body of If, Loop or Scan, in their order; `opset` is that of the default domain. Refuses as above.
std::vector<FlatNode> body_nodes(const onnx::GraphProto& body, const ModelFile& file, int64_t opset,
                                 const std::string& where);

// The value of a Constant node, in any of its forms.
Tensor constant_of(const FlatNode& node, ModelFile& file);

// Counts operators and reads properties; accepts models that cannot be imported.
ModelInfo describe(const onnx::ModelProto& model);

bool is_default_domain(const std::string& domain);

}  // namespace ascribe::core
