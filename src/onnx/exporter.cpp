#include "onnx/exporter.h"

#include <algorithm>
#include <limits>

#include "onnx/export/writer.h"

namespace ascribe::core {

namespace {

// 17 is what most runtimes have; scattering with min or max came with 18.
int64_t needed_opset(const Graph& graph) {
  const bool newer = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    if (!node.attributes.has("reduction")) return false;
    const std::string& reduction = node.attributes.text("reduction");
    return reduction == "min" || reduction == "max";
  });
  return newer ? 18 : 17;
}

// Declares ai.onnx.ml where trees are written; TreeEnsemble came with 5.
void declare_ml(onnx::ModelProto& model) {
  int64_t version = 0;
  for (const auto& node : model.graph().node()) {
    if (node.domain() == "ai.onnx.ml") version = std::max<int64_t>(version, node.op_type() == "TreeEnsemble" ? 5 : 3);
  }
  if (version == 0) return;
  auto& opset = *model.add_opset_import();
  opset.set_domain("ai.onnx.ml");
  opset.set_version(version);
}

}  // namespace

std::string export_model(const Graph& graph, const ExportOptions& options) {
  require(options.real == DType::f32 || options.real == DType::f64, "export", "reals are float32 or float64");
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.set_producer_name("ascribe");
  model.set_producer_version(ASCRIBE_VERSION);
  auto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(needed_opset(graph));
  for (const auto& [key, value] : options.metadata) {
    auto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
  model.mutable_graph()->set_name(graph.name.empty() ? "graph" : graph.name);
  if (!options.description.empty()) model.mutable_graph()->set_doc_string(options.description);
  OnnxWriter(*model.mutable_graph(), options, opset.version()).write(graph);
  declare_ml(model);
  if (model.ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    fail(ErrorKind::unsupported, "export", "the model is too large for one ONNX file; expected less than 2 GiB");
  }
  std::string bytes;
  require(model.SerializeToString(&bytes), "export", "protobuf cannot write the model");
  return bytes;
}

}  // namespace ascribe::core
