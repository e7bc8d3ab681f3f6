// Graph -> ONNX file (opset 17), runnable wherever ONNX runs.
#pragma once

#include <map>
#include <string>

#include "graph/graph.h"

namespace ascribe::core {

struct ExportOptions {
  DType real = DType::f32;                      // element type of the reals
  std::map<std::string, std::string> metadata;  // metadata_props of the file
  std::string description = {};                 // doc_string of its graph
};

// The bytes of the file. The batch, where the graph has one, becomes the symbolic dimension "N".
std::string export_model(const Graph& graph, const ExportOptions& options = {});

}  // namespace ascribe::core
