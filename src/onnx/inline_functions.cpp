#include "onnx/inline_functions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "onnx/known_operators.h"
#include "onnx/lowering.h"

namespace ascribe::core {

namespace {

constexpr int kDeepestCall = 32;
constexpr size_t kMostNodes = size_t{1} << 20;
constexpr size_t kMostCopiedBytes = size_t{1} << 28;
constexpr int kAttributeDefaults = 11;  // FunctionProto.attribute_proto, unknown to older message classes

using Opsets = std::map<std::string, int64_t>;
using Renaming = std::map<std::string, std::string>;

// `inherited`: what holds for domains that are not named.
Opsets opsets_of(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports, std::string_view where,
                 const Opsets& inherited = {}) {
  Opsets opsets;
  for (const auto& import : imports) {
    const std::string domain = is_default_domain(import.domain()) ? "" : import.domain();
    const int64_t version = std::max<int64_t>(import.version(), 1);
    if (const int64_t first = opsets.try_emplace(domain, version).first->second; first != version) {
      fail(ErrorKind::model, where, "the opset of the domain '{}' is given twice; got {} and {}",
           domain.empty() ? "ai.onnx" : domain, first, version);
    }
  }
  opsets.insert(inherited.begin(), inherited.end());
  return opsets;
}

int64_t opset_of(const onnx::NodeProto& node, const Opsets& opsets) {
  const auto found = opsets.find(is_default_domain(node.domain()) ? "" : node.domain());
  return found == opsets.end() ? 1 : found->second;
}

std::string place(const onnx::NodeProto& node, size_t index) {
  if (node.name().empty()) return fmt::format("node #{} ({})", index, node.op_type());
  return fmt::format("node '{}' ({})", node.name(), node.op_type());
}

class Inliner {
 public:
  Inliner(onnx::ModelProto& model, const std::string& name) : model_(model), name_(name) {
    for (const auto& function : model.functions()) {
      if (!functions_.emplace(std::pair(function.domain(), function.name()), &function).second) {
        fail(ErrorKind::model, name, "a function is defined twice; got '{}'", function.name());
      }
    }
  }

  std::vector<FlatNode> run() {
    const Opsets opsets = opsets_of(model_.opset_import(), name_);
    auto& nodes = *model_.mutable_graph()->mutable_node();
    for (auto& node : nodes) add(std::move(node), opsets, 0);
    nodes.Clear();
    return std::move(result_);
  }

 private:
  const onnx::FunctionProto* function_of(const onnx::NodeProto& node) const {
    if (LoweringRegistry::instance().find(full_name(node)) != nullptr) return nullptr;
    const auto found = functions_.find({node.domain(), node.op_type()});
    return found == functions_.end() ? nullptr : found->second;
  }

  void add(onnx::NodeProto node, const Opsets& opsets, int depth) {
    if (const auto* function = function_of(node)) return call(node, *function, opsets, depth);
    if (result_.size() >= kMostNodes) {
      fail(ErrorKind::model, name_, "too many nodes; expected at most {}", kMostNodes);
    }
    const int64_t opset = opset_of(node, opsets);
    std::string where = place(node, result_.size());
    result_.push_back({std::move(node), opset, std::move(where)});
  }

  void call(const onnx::NodeProto& node, const onnx::FunctionProto& function, const Opsets& outer, int depth) {
    const std::string where = place(node, result_.size());
    if (depth >= kDeepestCall) fail(ErrorKind::model, where, "functions call each other too deeply, or recursively");
    if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
      fail(ErrorKind::model, where,
           "the call does not fit the function; got {} inputs and {} outputs; expected {} and {}", node.input_size(),
           node.output_size(), function.input_size(), function.output_size());
    }
    const std::string prefix = fmt::format("{}#{}/", node.name().empty() ? node.op_type() : node.name(), ++calls_);
    Renaming names;
    for (int i = 0; i < function.input_size(); ++i)
      names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    for (int i = 0; i < function.output_size(); ++i) {
      const bool wanted = i < node.output_size() && !node.output(i).empty();
      names[function.output(i)] = wanted ? node.output(i) : prefix + function.output(i);
    }
    const Opsets opsets = opsets_of(function.opset_import(), where, outer);
    const auto attributes = arguments(node, function);
    for (const auto& inner : function.node()) {
      copied_ += inner.ByteSizeLong() + prefix.size() * (2 + inner.input_size() + inner.output_size()) + 64;
      if (copied_ > kMostCopiedBytes)
        fail(ErrorKind::model, where, "the functions of the model multiply without bound");
      add(renamed(inner, names, prefix, attributes), opsets, depth + 1);
    }
  }

  static std::map<std::string, onnx::AttributeProto> arguments(const onnx::NodeProto& node,
                                                               const onnx::FunctionProto& function) {
    std::map<std::string, onnx::AttributeProto> result;
    const auto& unknown = function.GetReflection()->GetUnknownFields(function);
    for (int i = 0; i < unknown.field_count(); ++i) {
      const auto& field = unknown.field(i);
      onnx::AttributeProto attribute;
      if (field.number() != kAttributeDefaults ||
          field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
        continue;
      }
      if (attribute.ParseFromString(field.length_delimited())) result[attribute.name()] = attribute;
    }
    for (const auto& attribute : node.attribute()) result[attribute.name()] = attribute;
    return result;
  }

  static onnx::NodeProto renamed(const onnx::NodeProto& inner, Renaming& names, const std::string& prefix,
                                 const std::map<std::string, onnx::AttributeProto>& arguments) {
    onnx::NodeProto node = inner;
    const auto rename = [&](std::string& name) {
      if (!name.empty()) name = names.try_emplace(name, prefix + name).first->second;
    };
    node.set_name(prefix + (inner.name().empty() ? inner.op_type() : inner.name()));
    for (auto& name : *node.mutable_input()) rename(name);
    for (auto& name : *node.mutable_output()) rename(name);
    node.clear_attribute();
    for (const auto& attribute : inner.attribute()) {
      if (attribute.ref_attr_name().empty()) {
        *node.add_attribute() = attribute;
      } else if (const auto found = arguments.find(attribute.ref_attr_name()); found != arguments.end()) {
        onnx::AttributeProto* own = node.add_attribute();
        *own = found->second;
        own->set_name(attribute.name());
      }
    }
    return node;
  }

  onnx::ModelProto& model_;
  const std::string& name_;
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> functions_;
  std::vector<FlatNode> result_;
  size_t calls_ = 0;
  size_t copied_ = 0;
};

}  // namespace

std::vector<FlatNode> take_inlined_nodes(onnx::ModelProto& model, const std::string& name) {
  return Inliner(model, name).run();
}

}  // namespace ascribe::core
