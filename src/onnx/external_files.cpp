#include "onnx/external_files.h"

#include <set>

#include "onnx/reader.h"

namespace ascribe::core {

namespace external_data {

namespace {

using Locations = std::set<std::string>;

void collect(const onnx::GraphProto& graph, Locations& found);

void collect(const onnx::TensorProto& tensor, Locations& found) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") found.insert(entry.value());
  }
}

void collect(const onnx::SparseTensorProto& tensor, Locations& found) {
  collect(tensor.values(), found);
  collect(tensor.indices(), found);
}

void collect(const onnx::NodeProto& node, Locations& found) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_t()) collect(attribute.t(), found);
    if (attribute.has_sparse_tensor()) collect(attribute.sparse_tensor(), found);
    if (attribute.has_g()) collect(attribute.g(), found);
    for (const auto& tensor : attribute.tensors()) collect(tensor, found);
    for (const auto& tensor : attribute.sparse_tensors()) collect(tensor, found);
    for (const auto& body : attribute.graphs()) collect(body, found);
  }
}

// The walk through the file has bounded how deep graphs are nested.
void collect(const onnx::GraphProto& graph, Locations& found) {
  for (const auto& tensor : graph.initializer()) collect(tensor, found);
  for (const auto& tensor : graph.sparse_initializer()) collect(tensor, found);
  for (const auto& node : graph.node()) collect(node, found);
}

}  // namespace

}  // namespace external_data

std::vector<ExternalFile> external_files(const std::filesystem::path& model) {
  const ModelFile file = ModelFile::open(model);
  external_data::Locations locations;
  external_data::collect(file.proto().graph(), locations);
  for (const auto& function : file.proto().functions()) {
    for (const auto& node : function.node()) external_data::collect(node, locations);
  }
  const std::filesystem::path folder = model.has_parent_path() ? model.parent_path() : ".";
  std::vector<ExternalFile> files;
  for (const std::string& location : locations) {
    files.push_back({location, ByteSource::open_beneath(folder, location, model.string())});
  }
  return files;
}

}  // namespace ascribe::core
