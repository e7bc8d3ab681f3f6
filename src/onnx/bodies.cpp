#include "onnx/bodies.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace ascribe::core {

namespace {

void collect(const onnx::GraphProto& body, std::set<std::string> defined, std::set<std::string>& captured, int depth) {
  if (depth > kDeepestBody) fail(ErrorKind::model, body.name(), "bodies are nested too deeply");
  for (const auto& input : body.input()) defined.insert(input.name());
  for (const auto& initializer : body.initializer()) defined.insert(initializer.name());
  for (const auto& node : body.node()) defined.insert(node.output().begin(), node.output().end());
  const auto read = [&](const std::string& name) {
    if (!name.empty() && !defined.contains(name)) captured.insert(name);
  };
  for (const auto& node : body.node()) {
    for (const std::string& input : node.input()) read(input);
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) collect(attribute.g(), defined, captured, depth + 1);
    }
  }
  for (const auto& output : body.output()) read(output.name());
}

}  // namespace

bool has_body(const onnx::NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const auto& attribute) { return attribute.has_g() || attribute.graphs_size() > 0; });
}

std::vector<std::string> captured_names(const onnx::NodeProto& node) {
  std::set<std::string> captured;
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) collect(attribute.g(), {}, captured, 0);
  }
  return {captured.begin(), captured.end()};
}

}  // namespace ascribe::core
