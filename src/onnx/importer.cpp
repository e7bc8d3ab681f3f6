#include "onnx/importer.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "base/watch.h"
#include "onnx/bodies.h"
#include "onnx/element_type.h"
#include "onnx/import_state.h"
#include "onnx/known_operators.h"

namespace ascribe::core {

namespace {

using onnx::TensorShapeProto;

constexpr int64_t kLargestInput = int64_t{1} << 36;

bool is_open(const TensorShapeProto::Dimension& dim) { return !dim.has_dim_value() || dim.dim_value() < 0; }

std::string place(const onnx::ValueInfoProto& info) { return fmt::format("input '{}'", info.name()); }

// As rows are counted: columns of texts have them as columns of numbers do.
Kind kind_of_input(const onnx::ValueInfoProto& info) {
  const ElementType& type = element_type(info.type().tensor_type().elem_type(), place(info));
  return type.name == "string" ? Kind::real : type.kind;
}

// Whether the first axis can be the batch: left open, or fixed to 1, or to this number.
bool can_batch(const onnx::ValueInfoProto& info, int64_t rows = 1) {
  const auto& shape = info.type().tensor_type().shape();
  if (shape.dim_size() == 0) return false;
  return is_open(shape.dim(0)) || shape.dim(0).dim_value() == 1 || (rows > 1 && shape.dim(0).dim_value() == rows);
}

// The number of images that the file fixes, if all its real inputs agree; 0: none. Of other inputs nobody knows whether
// their first axis counts rows.
int64_t fixed_images(const FlatModel& model) {
  int64_t rows = 0;
  for (const auto& input : model.inputs) {
    const auto& shape = input.type().tensor_type().shape();
    if (kind_of_input(input) != Kind::real) continue;
    if (shape.dim_size() != 4 || is_open(shape.dim(0))) return 0;
    const int64_t own = shape.dim(0).dim_value();
    if (own < 2 || (rows != 0 && rows != own)) return 0;
    rows = own;
  }
  return rows;
}

// What a batched import would do with the inputs, or why it cannot be.
struct BatchPlan {
  BatchMode mode = BatchMode::none;
  std::string obstacle;
};

BatchPlan plan_batch(const FlatModel& model, const ImportOptions& options) {
  if (!options.batched) return {};
  BatchPlan plan;
  bool any_real = false;
  for (const auto& input : model.inputs) {
    any_real |= kind_of_input(input) == Kind::real && !options.bound.contains(input.name());
  }
  for (const auto& input : model.inputs) {
    if (options.bound.contains(input.name())) continue;
    if (any_real && kind_of_input(input) != Kind::real) continue;
    const auto& shape = input.type().tensor_type().shape();
    if (shape.dim_size() == 0) continue;  // a scalar, or a shape that is given by the caller
    if (!can_batch(input)) {
      plan.obstacle =
          fmt::format("the file fixes the first dimension of {} to {}", place(input), shape.dim(0).dim_value());
      continue;
    }
    const BatchMode mode = is_open(shape.dim(0)) ? BatchMode::open : BatchMode::fixed;
    plan.mode = std::max(plan.mode, mode);
  }
  if (plan.mode == BatchMode::none && plan.obstacle.empty()) plan.obstacle = "no input has an axis for rows";
  return plan;
}

std::string shape_note(const std::string& name, const TensorShapeProto& declared, const Dims& inferred) {
  bool agrees = declared.dim_size() == static_cast<int>(inferred.size());
  for (int axis = 0; agrees && axis < declared.dim_size(); ++axis) {
    const auto& dim = declared.dim(axis);
    const bool rows = axis == 0 && inferred[axis] == kBatch;
    agrees = is_open(dim) || rows || dim.dim_value() == inferred[axis].at(1);
  }
  if (agrees) return "";
  std::string text;
  for (const auto& dim : declared.dim()) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", is_open(dim) ? "?" : std::to_string(dim.dim_value()));
  }
  return fmt::format("output '{}' is declared as [{}] but computed as {}", name, text, to_string(inferred));
}

}  // namespace

Importer::Importer(ModelFile& file, const FlatModel& model, const ImportOptions& options, BatchMode mode,
                   int64_t file_rows)
    : file_(file),
      model_(model),
      options_(options),
      mode_(mode),
      file_rows_(file_rows),
      builder_(graph_, options.limits),
      element_types_(model.element_types) {}

Graph Importer::run() {
  graph_.name = file_.proto().graph().name();
  add_inputs();
  for (const FlatNode& node : model_.nodes) {
    poll();
    lower(node);
  }
  add_outputs();
  text_columns_ = texts_.settle(graph_, file_.vocabulary());
  graph_.drop_unread();
  return std::move(graph_);
}

void Importer::add_inputs() {
  for (const auto& input : model_.inputs) {
    if (options_.bound.contains(input.name())) continue;
    if (kind_of_input(input) == Kind::real) has_real_input_ = true;
  }
  for (const auto& input : model_.inputs) {
    if (options_.bound.contains(input.name()) || !can_batch(input, file_rows_)) continue;
    const auto& first = input.type().tensor_type().shape().dim(0);
    const bool counts = kind_of_input(input) == Kind::real || !has_real_input_;
    if (counts && batch_name_.empty()) batch_name_ = first.dim_param();
  }
  for (const auto& input : model_.inputs) add_input(input);
}

Dims Importer::input_shape(const onnx::ValueInfoProto& info, Kind kind) const {
  const std::string where = place(info);
  const auto& tensor = info.type().tensor_type();
  const auto given = options_.shapes.find(info.name());
  if (given == options_.shapes.end() && !tensor.has_shape()) {
    fail(ErrorKind::argument, where, "the file does not say its shape; `shape` {}=... gives it", info.name());
  }
  if (given != options_.shapes.end() && !tensor.has_shape()) return to_dims(given->second);
  if (given != options_.shapes.end() && static_cast<int>(given->second.size()) != tensor.shape().dim_size()) {
    fail(ErrorKind::argument, where,
         "the given shape has another rank than the file says; got {}; expected {} dimensions",
         to_string(given->second), tensor.shape().dim_size());
  }
  const bool batched = mode_ != BatchMode::none && can_batch(info, file_rows_);
  Dims dims;
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    const auto& dim = tensor.shape().dim(axis);
    const bool is_batch_name = !batch_name_.empty() && dim.dim_param() == batch_name_;
    const bool real_rows = axis == 0 && batched && (kind == Kind::real || !has_real_input_);
    const bool integer_rows = axis == 0 && batched && is_open(dim) && dim.dim_param() == batch_name_;
    if (real_rows || integer_rows || (is_batch_name && mode_ != BatchMode::none)) {
      dims.push_back(kBatch);
    } else if (given != options_.shapes.end()) {
      const int64_t extent = given->second[axis];
      if (!is_open(dim) && dim.dim_value() != extent) {
        fail(ErrorKind::argument, where, "the given shape contradicts the file; got {} on axis {}; expected {}", extent,
             axis, dim.dim_value());
      }
      dims.push_back(extent);
    } else if (!is_open(dim)) {
      dims.push_back(dim.dim_value());
    } else if (axis == 0 || is_batch_name) {
      dims.push_back(1);
    } else {
      fail(ErrorKind::argument, where, "the file leaves dimension {} ({}) open; `shape` {}=... gives it", axis,
           dim.dim_param().empty() ? "unnamed" : dim.dim_param(), info.name());
    }
  }
  return dims;
}

void Importer::add_input(const onnx::ValueInfoProto& info) {
  const ElementType& type = ascribe::core::element_type(info.type().tensor_type().elem_type(), place(info));
  if (const auto bound = options_.bound.find(info.name()); bound != options_.bound.end()) {
    Tensor tensor = bound->second;
    if (kind_of(tensor.dtype()) != type.kind) tensor = tensor.cast(storage(type.kind, DType::f64));
    values_[info.name()] = builder_.constant(std::move(tensor));
    return;
  }
  const Dims shape = input_shape(info, kind_of_input(info));
  builder_.set_where(place(info));
  if (element_count(at(shape, 1), place(info)) > kLargestInput) {
    fail(ErrorKind::model, place(info), "the declared shape is too large; got {}; expected at most 2^36 elements",
         to_string(shape));
  }
  const bool texts = type.name == "string";
  const Value input = builder_.input(info.name(), {type.kind, shape}, texts ? "int64" : std::string(type.name));
  values_[info.name()] = texts ? texts_.add(builder_, info.name(), input, file_.vocabulary()) : input;
}

Value Importer::value(const std::string& name, std::string_view where) {
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  const auto weight = model_.weights.find(name);
  if (weight == model_.weights.end()) {
    fail(ErrorKind::unsupported, where, "an operand is an output that is not supported; got '{}'", name);
  }
  // Named after itself: a weight is not part of the node that reads it first.
  const Value value = builder_.constant(weight->second);
  graph_[value].name = name;
  return values_[name] = value;
}

void Importer::define(const std::string& name, Value value) {
  if (shadowed_ != nullptr) {
    const auto found = values_.find(name);
    shadowed_->emplace_back(name, found == values_.end() ? std::nullopt : std::optional(found->second));
  }
  values_[name] = value;
}

std::vector<Value> Importer::run_body(const onnx::GraphProto& body, std::span<const Value> inputs, int64_t opset,
                                      const std::string& where) {
  if (body.input_size() != static_cast<int>(inputs.size())) {
    fail(ErrorKind::model, where, "a body has {} inputs; expected {}", body.input_size(), inputs.size());
  }
  if (++bodies_run_ > kMostBodies) {
    fail(ErrorKind::unsupported, where, "loops take too many turns; expected at most {} together", kMostBodies);
  }
  if (depth_ >= kDeepestBody) fail(ErrorKind::model, where, "bodies are nested too deeply");
  Shadowed own;
  Shadowed* const outer = std::exchange(shadowed_, &own);
  ++depth_;
  for (int i = 0; i < body.input_size(); ++i) define(body.input(i).name(), inputs[static_cast<size_t>(i)]);
  // What a body stores is read once, however often it is run.
  const auto stored = [&](const void* key, const std::function<Tensor()>& read) {
    const auto [found, fresh] = stored_.try_emplace(key);
    if (fresh) found->second = builder_.constant(read());
    return found->second;
  };
  for (const auto& initializer : body.initializer()) {
    define(initializer.name(), stored(&initializer, [&] { return file_.tensor(initializer, where); }));
    element_types_[initializer.name()] = element_type_name(initializer.data_type());
  }
  auto nodes = bodies_.find(&body);
  if (nodes == bodies_.end()) nodes = bodies_.emplace(&body, body_nodes(body, file_, opset, where)).first;
  for (const FlatNode& node : nodes->second) {
    if (full_name(node.proto) != "Constant" || node.proto.output_size() == 0) lower(node);
    else define(node.proto.output(0), stored(&node, [&] { return constant_of(node, file_); }));
  }
  std::vector<Value> outputs;
  for (const auto& output : body.output()) outputs.push_back(value(output.name(), where));
  --depth_;
  shadowed_ = outer;
  for (size_t i = own.size(); i-- > 0;) {
    if (own[i].second) values_[own[i].first] = *own[i].second;
    else values_.erase(own[i].first);
  }
  return outputs;
}

std::string Importer::element_type(const std::string& name) const {
  const auto found = element_types_.find(name);
  return found == element_types_.end() ? "" : found->second;
}

// For values whose type the file does not declare: a Cast says it, otherwise it is that of the first operand of
// the same kind.
void Importer::derive_element_types(const FlatNode& node) {
  for (const std::string& output : node.proto.output()) {
    const auto found = values_.find(output);
    if (output.empty() || found == values_.end()) continue;
    const Kind kind = builder_.kind(found->second);
    const auto fits = [&](const std::string& type) { return !type.empty() && element_type_named(type).kind == kind; };
    if (fits(element_type(output))) continue;
    std::string derived = kind == Kind::real ? "float32" : kind == Kind::integer ? "int64" : "bool";
    for (const std::string& input : node.proto.input()) {
      if (!fits(element_type(input))) continue;
      derived = element_type(input);
      break;
    }
    for (const auto& attribute : node.proto.attribute()) {
      if (attribute.name() != "to" || find_element_type(static_cast<int32_t>(attribute.i())) == nullptr) continue;
      derived = element_type_name(static_cast<int32_t>(attribute.i()));
    }
    if (fits(derived)) element_types_[output] = derived;
  }
}

namespace {

// What people can call a node by: many exporters name only its outputs.
std::string name_of(const onnx::NodeProto& node) {
  if (!node.name().empty() || node.output_size() == 0) return node.name();
  return node.output(0);
}

}  // namespace

// Codes are no numbers: texts go to encoders, and through what moves or compares them.
void Importer::check_texts(const FlatNode& node) const {
  static const std::set<std::string> kMoving = {
      "Identity", "Concat",    "Gather", "GatherElements", "GatherND", "Reshape",  "Flatten",
      "Squeeze",  "Unsqueeze", "Slice",  "Split",          "Tile",     "Expand",   "Shape",
      "Size",     "Equal",     "Where",  "Transpose",      "Compress", "CastLike", "Cast"};
  if (node.proto.domain() == kTableDomain || kMoving.contains(full_name(node.proto))) return;
  for (const std::string& input : node.proto.input()) {
    if (element_type(input) != "string") continue;
    fail(ErrorKind::unsupported, node.where, "'{}' holds texts, which only encoders read", input);
  }
}

void Importer::lower(const FlatNode& node) {
  builder_.set_where(node.where);
  check_texts(node);
  builder_.set_name(name_of(node.proto));
  const Lowering* lowering = find_lowering(node.proto);
  require(lowering != nullptr, node.where, "no lowering");
  // Weights enter the graph before the lowering runs: reading an operand must not move the nodes it looks at.
  for (const std::string& input : node.proto.input()) {
    if (model_.weights.contains(input)) value(input, node.where);
  }
  NodeContext context(*this, builder_, node.proto, node.opset);
  try {
    lowering->lower(context);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(node.where) != std::string_view::npos) throw;
    throw Error(error.kind(), node.where, error.what());
  }
  derive_element_types(node);
}

// Quantised values are whole numbers kept as reals (lowering/quantization.h); a caller gets the type that is declared.
Value Importer::as_declared(const onnx::ValueInfoProto& info, Value value) {
  const ElementType* type = find_element_type(info.type().tensor_type().elem_type());
  const bool is_whole = type != nullptr && type->kind == Kind::integer && builder_.kind(value) == Kind::real;
  return is_whole ? builder_.cast(value, Kind::integer) : value;
}

// Texts, and labels of classes that do not lie in rows, are no reason to refuse a model that also gives numbers.
bool Importer::leaves_out(const std::string& output, Value result) {
  const bool texts = element_type(output) == "string";
  const Dims& shape = builder_.shape(result);
  const bool rows = mode_ == BatchMode::none || (!shape.empty() && shape[0] == kBatch);
  if (!texts && (rows || builder_.kind(result) == Kind::real)) return false;
  for (const auto& other : model_.outputs) {
    const auto found = values_.find(other.name());
    if (found == values_.end() || builder_.kind(found->second) != Kind::real) continue;
    notes_.push_back(fmt::format("the output '{}' is left out: {}", output,
                                 texts ? "it holds texts" : "it does not have a row for each row of the input"));
    return true;
  }
  return false;
}

// Names stay with scores while single numbers are turned into others; a softmax of scores is of the same classes.
std::vector<std::string> Importer::labels_of(Value scores) const {
  for (Value at = scores;;) {
    if (const auto found = labels_.find(at); found != labels_.end()) return found->second;
    const Node& node = graph_[at];
    const bool kept = traits_of(node).pointwise || node.op->name == "softmax" || node.op->name == "reshape";
    if (!kept || node.inputs.empty() || graph_[node.inputs[0]].type.shape != node.type.shape) return {};
    at = node.inputs[0];
  }
}

void Importer::add_outputs() {
  for (const auto& output : model_.outputs) {
    const std::string where = fmt::format("output '{}'", output.name());
    const Value result = as_declared(output, value(output.name(), where));
    if (leaves_out(output.name(), result)) continue;
    const Dims& shape = builder_.shape(result);
    if (mode_ != BatchMode::none) {
      const Dims rest(shape.begin() + (shape.empty() ? 0 : 1), shape.end());
      if (shape.empty() || shape[0] != kBatch || !all_fixed(rest)) {
        const std::string_view why =
            batch_was_fixed() ? "the file is made for one row and could not be opened to N rows; with them it would be"
                              : "rows are mixed: it does not have one row per row of the input; got";
        fail(ErrorKind::unsupported, where, "{} {}", why, to_string(shape));
      }
    }
    std::string type = element_type(output.name());
    if (type.empty() || element_type_named(type).kind != builder_.kind(result)) {
      type = builder_.kind(result) == Kind::real      ? "float32"
             : builder_.kind(result) == Kind::integer ? "int64"
                                                      : "bool";
    }
    builder_.output(output.name(), result, type);
    if (std::vector<std::string> labels = labels_of(result); !labels.empty()) {
      output_labels_[output.name()] = std::move(labels);
    }
  }
}

namespace {

std::string rounding_note(const Graph& graph) {
  const auto rounds = std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                    [](const Node& node) { return node.op->traits.straight_through; });
  if (rounds == 0) return "";
  return fmt::format(
      "the model is quantised: {} of its values are rounded, as the file says; derivatives pass straight through the "
      "rounding (1 within the range, 0 outside), so they are those of the model before it",
      rounds);
}

void take(Importer importer, ImportedModel& result) {
  result.graph = importer.run();
  result.info.texts = importer.text_columns();
  result.info.labels = importer.labels();
  result.notes.insert(result.notes.end(), importer.notes().begin(), importer.notes().end());
}

ImportedModel import_file(ModelFile file, const ImportOptions& given) {
  ImportOptions options = given;
  // A large model may fold much of itself (weights kept as float16), a small one should not grow.
  options.limits.fold_bytes += std::min(file.size(), std::numeric_limits<int64_t>::max() / 8) * 4;
  const FlatModel model = flatten(file);
  for (const auto& bound : options.bound) {
    const auto named = [&](const auto& input) { return input.name() == bound.first; };
    if (std::none_of(model.inputs.begin(), model.inputs.end(), named)) {
      fail(ErrorKind::argument, model.name, "there is no input of this name to bind; got '{}'", bound.first);
    }
  }
  ImportedModel result;
  result.info = model.info;
  result.notes = model.notes;
  const BatchPlan plan = plan_batch(model, options);
  result.why_not_batched = plan.obstacle;
  if (plan.mode != BatchMode::none) {
    // A file that leaves the batch open may still hard-code it inside.
    for (const BatchMode mode : {BatchMode::open, BatchMode::fixed}) {
      if (result.batched || mode < plan.mode) continue;
      try {
        take(Importer(file, model, options, mode), result);
        result.batched = true;
        result.why_not_batched.clear();
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::cancelled) throw;
        if (result.why_not_batched.empty()) result.why_not_batched = error.what();
      }
    }
  }
  if (const int64_t rows = plan.mode == BatchMode::none && options.batched ? fixed_images(model) : 0; rows > 1) {
    try {
      take(Importer(file, model, options, BatchMode::open, rows), result);
      result.batched = true;
      result.why_not_batched.clear();
      result.notes.push_back(fmt::format("the file is made for {} rows at a time; it is run with any number", rows));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      result.why_not_batched = plan.obstacle;
    }
  }
  if (!result.batched) take(Importer(file, model, options, BatchMode::none), result);
  if (const std::string note = rounding_note(result.graph); !note.empty()) result.notes.push_back(note);
  for (const Port& port : result.graph.inputs) result.double_precision |= port.element_type == "float64";
  for (const Port& port : result.graph.outputs) {
    result.double_precision |= port.element_type == "float64";
    const auto declared = std::find_if(model.outputs.begin(), model.outputs.end(),
                                       [&](const auto& output) { return output.name() == port.name; });
    const auto& type = declared->type().tensor_type();
    if (!type.has_shape()) continue;
    const std::string note = shape_note(port.name, type.shape(), result.graph[port.value].type.shape);
    if (!note.empty()) result.notes.push_back(note);
  }
  return result;
}

}  // namespace

ImportedModel import_model(const std::filesystem::path& path, const ImportOptions& options) {
  try {
    return import_file(ModelFile::open(path), options);
  } catch (const Error& error) {
    // "[node 'conv1' (Conv)] what" becomes "[model.onnx, node 'conv1' (Conv)] what".
    if (error.where().empty() || error.where().find(path.string()) != std::string::npos) throw;
    throw Error(error.kind(), fmt::format("{}, {}", path.string(), error.where()), error.message());
  }
}

ImportedModel import_model_bytes(std::string bytes, const std::string& name, const std::filesystem::path& folder,
                                 const ImportOptions& options) {
  return import_file(ModelFile::parse(std::move(bytes), name, folder), options);
}

ModelInfo describe_model(const std::filesystem::path& path) { return describe(ModelFile::open(path).proto()); }

ModelInfo describe_model_bytes(std::string bytes, const std::string& name) {
  return describe(ModelFile::parse(std::move(bytes), name, {}).proto());
}

}  // namespace ascribe::core
