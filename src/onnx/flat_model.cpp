#include "onnx/flat_model.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_set>

#include "onnx/bodies.h"
#include "onnx/element_type.h"
#include "onnx/inline_functions.h"
#include "onnx/known_operators.h"
#include "onnx/lowering.h"

namespace ascribe::core {

namespace {

DeclaredValue declared(const onnx::ValueInfoProto& info) {
  DeclaredValue value;
  value.name = info.name();
  if (!info.type().has_tensor_type()) return value;
  value.element_type = element_type_name(info.type().tensor_type().elem_type());
  for (const auto& dim : info.type().tensor_type().shape().dim()) {
    value.shape.push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : -1);
    value.axes.push_back(dim.dim_param());
  }
  return value;
}

template <class T>
Tensor list_of(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<int64_t>(values.size())}, values);
}

std::string constant_element_type(const onnx::NodeProto& node) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "value") return element_type_name(attribute.t().data_type());
    if (attribute.name().starts_with("value_string")) return "string";
    if (attribute.name() == "value_int" || attribute.name() == "value_ints") return "int64";
  }
  return "float32";
}

// Operands, and what bodies read around them.
std::vector<std::string> read_by(const onnx::NodeProto& node) {
  std::vector<std::string> names(node.input().begin(), node.input().end());
  if (!has_body(node)) return names;
  const auto captured = captured_names(node);
  names.insert(names.end(), captured.begin(), captured.end());
  return names;
}

class Flattener {
 public:
  explicit Flattener(ModelFile& file) : file_(file), graph_(file.proto().graph()) {}

  FlatModel run() {
    model_.name = file_.name();
    model_.info = describe(file_.proto());
    check_opset();
    declare_types();
    take_initializers();
    take_inputs();
    std::vector<FlatNode> nodes = take_inlined_nodes(file_.proto(), file_.name());
    model_.info.operators = count(nodes);
    nodes = without_constants(std::move(nodes));
    nodes = read_by_outputs(sorted(std::move(nodes)));
    check_known(nodes, file_.name());
    if (unsupported_) throw *unsupported_;
    take_vocabulary(nodes);
    model_.nodes = std::move(nodes);
    return std::move(model_);
  }

 private:
  void check_opset() {
    const bool given = model_.info.opset != 0;  // a file of tables may have no operator of the default domain
    if (!given) model_.info.opset = 1;
    if (given && model_.info.opset < 7) {
      model_.notes.push_back(fmt::format(
          "the file uses opset {}; operators are read by their meaning in opset 7 and later", model_.info.opset));
    }
  }

  static std::map<std::string, int> count(const std::vector<FlatNode>& nodes) {
    std::map<std::string, int> operators;
    for (const FlatNode& node : nodes) ++operators[full_name(node.proto)];
    return operators;
  }

  // value_info is only believed where nothing better is known; shapes in it are not used at all.
  void declare_types() {
    const auto declare = [&](const onnx::ValueInfoProto& info) {
      if (!info.type().has_tensor_type()) return;
      const int32_t code = info.type().tensor_type().elem_type();
      if (find_element_type(code) != nullptr) model_.element_types[info.name()] = element_type_name(code);
    };
    for (const auto& info : graph_.value_info()) declare(info);
    for (const auto& info : graph_.output()) declare(info);
    for (const auto& info : graph_.input()) declare(info);
  }

  // Unsupported operators, all of them, are worth hearing of before an unsupported type is.
  void defer_unsupported(const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      if (!unsupported_) unsupported_ = error;
    }
  }

  void define(const std::string& name, std::string_view where) {
    if (name.empty()) fail(ErrorKind::model, where, "a value has no name");
    if (!defined_.insert(name).second) fail(ErrorKind::model, where, "two values have the same name; got '{}'", name);
  }

  void take_initializers() {
    for (const auto& sparse : graph_.sparse_initializer()) {
      define(sparse.values().name(), "sparse initializer");
      defer_unsupported(
          [&] { fail(ErrorKind::unsupported, sparse.values().name(), "sparse initializers are not supported"); });
    }
    for (const auto& initializer : graph_.initializer()) {
      const std::string where = fmt::format("initializer '{}'", initializer.name());
      define(initializer.name(), where);
      defer_unsupported([&] { model_.weights.emplace(initializer.name(), file_.tensor(initializer, where)); });
      model_.element_types[initializer.name()] = element_type_name(initializer.data_type());
    }
  }

  static void check_tensor(const onnx::TypeProto& type, std::string_view where) {
    if (!type.has_tensor_type()) {
      fail(ErrorKind::unsupported, where, "only tensors are supported; got a sequence, map, optional or sparse tensor");
    }
    const ElementType& elements = element_type(type.tensor_type().elem_type(), where);
    if (elements.stored) {
      fail(ErrorKind::unsupported, where, "inputs of this type are not supported; got {}; weights may have it",
           elements.name);
    }
  }

  void take_inputs() {
    std::unordered_set<std::string> seen, outputs_seen;
    for (const auto& input : graph_.input()) {
      const std::string where = fmt::format("input '{}'", input.name());
      if (!seen.insert(input.name()).second) fail(ErrorKind::model, where, "two inputs have the same name");
      if (model_.weights.contains(input.name())) continue;  // an initializer with a type, as IR 3 wrote it
      define(input.name(), where);
      if (!input.has_type()) fail(ErrorKind::model, where, "the type is missing");
      defer_unsupported([&] { check_tensor(input.type(), where); });
      model_.inputs.push_back(input);
    }
    for (const auto& output : graph_.output()) {
      if (!outputs_seen.insert(output.name()).second) {
        fail(ErrorKind::model, fmt::format("output '{}'", output.name()), "two outputs have the same name");
      }
      if (output.type().has_optional_type() || output.type().sequence_type().elem_type().has_tensor_type()) {
        defer_unsupported([&] { check_tensor(output.type(), fmt::format("output '{}'", output.name())); });
      }
      model_.outputs.push_back(output);
    }
    leave_out_texts();
    if (model_.outputs.empty()) fail(ErrorKind::model, file_.name(), "the model has no outputs");
  }

  // A classifier's name of the class. What computes it is not read.
  void leave_out_texts() {
    const auto is_text = [](const onnx::ValueInfoProto& output) {
      return output.type().tensor_type().elem_type() == onnx::TensorProto::STRING;
    };
    if (std::all_of(model_.outputs.begin(), model_.outputs.end(), is_text)) return;
    for (const auto& output : model_.outputs) {
      if (is_text(output)) {
        model_.notes.push_back(fmt::format("the output '{}' is left out: it holds texts", output.name()));
      }
    }
    std::erase_if(model_.outputs, is_text);
  }

  // Before inputs of texts are made, which have a code for each.
  void take_vocabulary(const std::vector<FlatNode>& nodes) {
    for (const FlatNode& node : nodes) {
      if (node.proto.domain() != kTableDomain) continue;
      for (const auto& attribute : node.proto.attribute()) {
        for (const std::string& text : attribute.strings()) file_.vocabulary().code(text);
        for (const std::string& text : attribute.t().string_data()) file_.vocabulary().code(text);
      }
    }
  }

  std::vector<FlatNode> without_constants(std::vector<FlatNode> nodes) {
    std::vector<FlatNode> rest;
    for (FlatNode& node : nodes) {
      for (const std::string& output : node.proto.output()) {
        if (!output.empty()) define(output, node.where);
      }
      if (full_name(node.proto) != "Constant" || node.proto.output_size() == 0) {
        rest.push_back(std::move(node));
        continue;
      }
      const std::string& name = node.proto.output(0);
      defer_unsupported([&] { model_.weights.emplace(name, constant_of(node, file_)); });
      model_.element_types[name] = constant_element_type(node.proto);
      node.proto.Clear();
    }
    return rest;
  }

  // Kahn's algorithm; among the nodes that are ready, the first in the file comes first.
  std::vector<FlatNode> sorted(std::vector<FlatNode> nodes) const {
    std::unordered_map<std::string, size_t> producer;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& output : nodes[i].proto.output()) producer[output] = i;
    }
    std::vector<std::vector<size_t>> readers(nodes.size());
    std::vector<size_t> missing(nodes.size(), 0);
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& input : read_by(nodes[i].proto)) {
        if (input.empty()) continue;
        if (!defined_.contains(input)) {
          fail(ErrorKind::model, nodes[i].where, "an input is not defined anywhere in the model; got '{}'", input);
        }
        if (const auto found = producer.find(input); found != producer.end()) {
          readers[found->second].push_back(i);
          ++missing[i];
        }
      }
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (missing[i] == 0) ready.push(i);
    }
    std::vector<FlatNode> result;
    result.reserve(nodes.size());
    while (!ready.empty()) {
      const size_t next = ready.top();
      ready.pop();
      for (const size_t reader : readers[next]) {
        if (--missing[reader] == 0) ready.push(reader);
      }
      result.push_back(std::move(nodes[next]));
    }
    if (result.size() < nodes.size()) {
      fail(ErrorKind::model, first_on_a_cycle(nodes, producer, missing), "the model has a cycle through this node");
    }
    return result;
  }

  // Going back from a node that never became ready, always to one that did not either, ends on a cycle.
  static std::string first_on_a_cycle(const std::vector<FlatNode>& nodes,
                                      const std::unordered_map<std::string, size_t>& producer,
                                      const std::vector<size_t>& missing) {
    size_t at = 0;
    while (missing[at] == 0) ++at;
    for (size_t step = 0; step < nodes.size(); ++step) {
      for (const std::string& input : nodes[at].proto.input()) {
        const auto found = producer.find(input);
        if (found == producer.end() || missing[found->second] == 0) continue;
        at = found->second;
        break;
      }
    }
    return nodes[at].where;
  }

  std::vector<FlatNode> read_by_outputs(std::vector<FlatNode> nodes) const {
    std::unordered_set<std::string> wanted;
    for (const auto& output : model_.outputs) {
      if (!defined_.contains(output.name())) {
        fail(ErrorKind::model, fmt::format("output '{}'", output.name()), "nothing in the model computes it");
      }
      wanted.insert(output.name());
    }
    std::vector<FlatNode> kept;
    for (size_t i = nodes.size(); i-- > 0;) {
      const auto& outputs = nodes[i].proto.output();
      if (std::none_of(outputs.begin(), outputs.end(), [&](const auto& name) { return wanted.contains(name); }))
        continue;
      for (const std::string& input : read_by(nodes[i].proto)) wanted.insert(input);
      kept.push_back(std::move(nodes[i]));
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
  }

  ModelFile& file_;
  const onnx::GraphProto& graph_;
  FlatModel model_;
  std::unordered_set<std::string> defined_;
  std::optional<Error> unsupported_;
};

}  // namespace

bool is_default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

ModelInfo describe(const onnx::ModelProto& model) {
  ModelInfo info;
  info.producer = model.producer_name();
  if (!model.producer_version().empty()) info.producer += " " + model.producer_version();
  info.ir_version = model.ir_version();
  for (const auto& import : model.opset_import()) {
    if (is_default_domain(import.domain())) info.opset = import.version();
  }
  std::unordered_set<std::string> initializers;
  for (const auto& initializer : model.graph().initializer()) initializers.insert(initializer.name());
  for (const auto& input : model.graph().input()) {
    if (!initializers.contains(input.name())) info.inputs.push_back(declared(input));
  }
  for (const auto& output : model.graph().output()) info.outputs.push_back(declared(output));
  for (const auto& node : model.graph().node()) ++info.operators[full_name(node)];
  for (const auto& entry : model.metadata_props()) info.metadata[entry.key()] = entry.value();
  return info;
}

Tensor constant_of(const FlatNode& node, ModelFile& file) {
  for (const auto& attribute : node.proto.attribute()) {
    const std::string& form = attribute.name();
    if (form == "value") return file.tensor(attribute.t(), node.where);
    if (form == "value_float") return Tensor::scalar<float>(attribute.f());
    if (form == "value_int") return Tensor::scalar<int64_t>(attribute.i());
    if (form == "value_floats")
      return list_of(std::vector<float>(attribute.floats().begin(), attribute.floats().end()));
    if (form == "value_ints") return list_of(std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
    if (form == "value_string") return Tensor::scalar<int64_t>(file.vocabulary().code(attribute.s()));
    if (form == "value_strings") {
      std::vector<int64_t> codes;
      for (const std::string& text : attribute.strings()) codes.push_back(file.vocabulary().code(text));
      return list_of(codes);
    }
    if (form == "sparse_value") {
      fail(ErrorKind::unsupported, node.where, "constants of the form {} are not supported", form);
    }
  }
  fail(ErrorKind::model, node.where, "the constant has no value");
}

std::vector<FlatNode> body_nodes(const onnx::GraphProto& body, const ModelFile& file, int64_t opset,
                                 const std::string& where) {
  std::vector<FlatNode> nodes;
  for (const auto& proto : body.node()) {
    int64_t own = is_default_domain(proto.domain()) ? opset : 1;
    for (const auto& import : file.proto().opset_import()) {
      if (!is_default_domain(proto.domain()) && import.domain() == proto.domain()) own = import.version();
    }
    const std::string name =
        proto.name().empty() ? fmt::format("#{}", nodes.size()) : fmt::format("'{}'", proto.name());
    nodes.push_back({proto, own, fmt::format("{}, node {} ({})", where, name, proto.op_type())});
  }
  std::vector<FlatNode> lowered = nodes;
  std::erase_if(lowered, [](const FlatNode& node) { return full_name(node.proto) == "Constant"; });
  check_known(lowered, file.name());
  return nodes;
}

FlatModel flatten(ModelFile& file) { return Flattener(file).run(); }

}  // namespace ascribe::core
