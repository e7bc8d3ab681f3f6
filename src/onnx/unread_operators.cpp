#include "onnx/unread_operators.h"

#include "onnx/known_operators.h"

namespace ascribe::core {

static std::set<std::string> beyond_lowerings(const onnx::ModelProto& model) {
  std::set<std::string> result;
  for (const auto& node : model.graph().node()) {
    int64_t opset = 1;
    for (const auto& import : model.opset_import()) {
      const bool both_default = is_default_domain(import.domain()) && is_default_domain(node.domain());
      if (both_default || import.domain() == node.domain()) opset = import.version();
    }
    if (goes_beyond_lowering(node, opset)) result.insert(full_name(node));
  }
  return result;
}

std::set<std::string> operators_beyond_lowerings(const std::filesystem::path& path) {
  return beyond_lowerings(ModelFile::open(path).proto());
}

std::set<std::string> operators_beyond_lowerings_of_bytes(std::string bytes, const std::string& name) {
  return beyond_lowerings(ModelFile::parse(std::move(bytes), name, {}).proto());
}

}  // namespace ascribe::core
