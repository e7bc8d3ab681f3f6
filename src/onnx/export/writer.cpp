#include "onnx/export/writer.h"

#include <limits>

#include <fmt/ranges.h>

#include "base/checked.h"

namespace ascribe::core {

namespace {

using onnx::TensorProto;

// protobuf's limit, with room for everything but constants.
constexpr int64_t kLargestFile = std::numeric_limits<int32_t>::max() - (int64_t{1} << 24);

void set_attribute(onnx::AttributeProto& out, const std::string& name, const OnnxAttribute& value) {
  out.set_name(name);
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    out.set_type(onnx::AttributeProto::INT);
    out.set_i(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    out.set_type(onnx::AttributeProto::FLOAT);
    out.set_f(static_cast<float>(*real));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    out.set_type(onnx::AttributeProto::STRING);
    out.set_s(*text);
  } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
    out.set_type(onnx::AttributeProto::INTS);
    for (const int64_t entry : *integers) out.add_ints(entry);
  } else if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    out.set_type(onnx::AttributeProto::FLOATS);
    for (const double entry : *reals) out.add_floats(static_cast<float>(entry));
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    out.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& entry : *texts) out.add_strings(entry);
  } else {
    out.set_type(onnx::AttributeProto::TENSOR);
    *out.mutable_t() = std::get<onnx::TensorProto>(value);
  }
}

}  // namespace

int32_t OnnxWriter::element_code(Kind kind) const {
  if (kind == Kind::integer) return TensorProto::INT64;
  if (kind == Kind::boolean) return TensorProto::BOOL;
  return options_.real == DType::f64 ? TensorProto::DOUBLE : TensorProto::FLOAT;
}

std::string OnnxWriter::fresh() {
  std::string name;
  do {
    name = fmt::format("v{}", counter_++);
  } while (port_names_.contains(name));
  return name;
}

std::string OnnxWriter::emit(std::string_view op_type, const std::vector<std::string>& inputs,
                             const OnnxAttributes& attributes, int output) {
  onnx::NodeProto& node = *out_.add_node();
  const size_t dot = op_type.rfind('.');
  if (dot != std::string_view::npos) node.set_domain(std::string(op_type.substr(0, dot)));
  node.set_op_type(std::string(op_type.substr(dot == std::string_view::npos ? 0 : dot + 1)));
  node.set_name(fmt::format("{}#{}", node_name_.empty() ? op_type : node_name_, out_.node_size()));
  for (const std::string& input : inputs) node.add_input(input);
  while (node.input_size() > 0 && node.input(node.input_size() - 1).empty()) node.mutable_input()->RemoveLast();
  for (int i = 0; i < output; ++i) node.add_output(fresh());
  const std::string name = fresh();
  node.add_output(name);
  for (const auto& [key, value] : attributes) set_attribute(*node.add_attribute(), key, value);
  return name;
}

std::string OnnxWriter::constant(const Tensor& given) {
  constexpr int64_t kSmall = 128;  // numbers for which nodes would cost more than they save
  const Tensor tensor = given.cast(storage(kind_of(given.dtype()), options_.real));
  if (tensor.size() < kSmall) {
    std::string& name =
        small_constants_[fmt::format("{} {} {}", to_string(tensor.dtype()), fmt::join(tensor.shape(), ","),
                                     std::string_view(static_cast<const char*>(tensor.memory()), tensor.bytes()))];
    if (name.empty()) name = stored(tensor);
    return name;
  }
  if (const auto like = constants_.find(tensor)) return derived(*like, tensor.shape());
  std::string name;
  if (const auto repeated = repeated_columns(tensor)) {
    const std::vector<int64_t>& choice = repeated->choice;
    name = emit("Gather", {constant(repeated->columns), constant(Tensor::of<int64_t>({std::ssize(choice)}, choice))},
                {{"axis", tensor.rank() - 1}});
  } else {
    name = tensor.dtype() == DType::i64 ? stored_integers(tensor) : stored(tensor);
  }
  constants_.keep(name, tensor);
  return name;
}

std::string OnnxWriter::stored(const Tensor& tensor) {
  bytes_ = checked_add(bytes_, static_cast<int64_t>(tensor.bytes()), "export");
  if (bytes_ > kLargestFile) {
    fail(ErrorKind::unsupported, "export", "the model is too large for one ONNX file; expected less than 2 GiB");
  }
  TensorProto& proto = *out_.add_initializer();
  proto.set_name(fresh());
  proto.set_data_type(element_code(kind_of(tensor.dtype())));
  for (const int64_t extent : tensor.shape()) proto.add_dims(extent);
  proto.set_raw_data(tensor.memory(), tensor.bytes());
  return proto.name();
}

// Places of a grid as the sum of a column and a row; other numbers as they are.
std::string OnnxWriter::stored_integers(const Tensor& tensor) {
  const auto data = tensor.data<int64_t>();
  const auto grid = grid_of({data.begin(), data.end()});
  if (!grid) return stored(tensor);
  const int64_t rows = std::ssize(grid->down), columns = std::ssize(grid->across);
  const Tensor down = Tensor::of<int64_t>({rows, 1}, grid->down), across = Tensor::of<int64_t>({columns}, grid->across);
  std::string places = emit("Add", {constant(down), constant(across)});
  if (grid->times > 1) places = emit("Expand", {places, integers(std::vector<int64_t>{grid->times, rows, columns})});
  return emit("Reshape", {places, integers(tensor.shape())});
}

std::string OnnxWriter::derived(const DerivedConstant& constant, const Shape& shape) {
  using Part = DerivedConstant::Part;
  std::string& positive = derived_["+" + constant.from];
  if (constant.part != Part::whole && positive.empty()) positive = emit("Relu", {constant.from});
  std::string& negative = derived_["-" + constant.from];
  if (constant.part == Part::negative && negative.empty()) negative = emit("Sub", {constant.from, positive});
  std::string name = constant.part == Part::whole      ? constant.from
                     : constant.part == Part::positive ? positive
                                                       : negative;
  if (!constant.axes.empty()) {
    std::string& turned = derived_[fmt::format("{}:{}", fmt::join(constant.axes, ","), name)];
    if (turned.empty()) turned = emit("Transpose", {name}, {{"perm", constant.axes}});
    return turned;
  }
  if (shape == constant.shape) return name;
  std::string& shaped = derived_[fmt::format("{}:{}", fmt::join(shape, "x"), name)];
  if (shaped.empty()) shaped = emit("Reshape", {name, integers(shape)});
  return shaped;
}

std::string OnnxWriter::scalar(double value) { return constant(Tensor::scalar(value)); }

std::string OnnxWriter::integer(int64_t value) { return constant(Tensor::scalar(value)); }

std::string OnnxWriter::integers(const std::vector<int64_t>& values) {
  return constant(Tensor::of<int64_t>({std::ssize(values)}, values));
}

std::string OnnxWriter::rows() {
  if (rows_.empty()) {
    require(make_rows_ != nullptr, "export", "a value depends on the batch, but no input has one");
    rows_ = make_rows_();
  }
  return rows_;
}

std::string OnnxWriter::integers(const Dims& values) {
  if (all_fixed(values)) return integers(at(values, 1));
  std::vector<int64_t> fixed, per_row;
  for (const Dim value : values) {
    fixed.push_back(value.fixed);
    per_row.push_back(value.per_row);
  }
  return emit("Add", {emit("Mul", {rows(), integers(per_row)}), integers(fixed)});
}

std::string OnnxWriter::reshape(const std::string& x, const Dims& shape) {
  Shape literal;
  int growing = 0;
  bool empty = false;
  for (const Dim dim : shape) {
    growing += dim.is_fixed() ? 0 : 1;
    empty |= dim == Dim(0);
    literal.push_back(dim.is_fixed() ? dim.fixed : -1);
  }
  // A batch without rows would leave -1 open only if another dimension were 0.
  const bool simple = growing == 0 || (growing == 1 && !empty);
  const OnnxAttributes attributes = empty ? OnnxAttributes{{"allowzero", int64_t{1}}} : OnnxAttributes{};
  return emit("Reshape", {x, simple ? integers(literal) : integers(shape)}, attributes);
}

std::string OnnxWriter::reduce(const std::string& op_type, const std::string& x, const std::vector<int64_t>& axes,
                               bool keepdims) {
  if (axes.empty()) return emit("Identity", {x});  // to ONNX, no axes mean all of them
  const bool as_input = op_type == "ReduceSum" || opset_ >= 18;
  if (as_input) return emit(op_type, {x, integers(axes)}, {{"keepdims", int64_t{keepdims}}});
  return emit(op_type, {x}, {{"axes", axes}, {"keepdims", int64_t{keepdims}}});
}

void OnnxWriter::declare(onnx::ValueInfoProto& info, const std::string& name, const Type& type) const {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(element_code(type.kind));
  tensor.mutable_shape();
  for (const Dim dim : type.shape) {
    auto& out = *tensor.mutable_shape()->add_dim();
    if (dim.is_fixed()) out.set_dim_value(dim.fixed);
    else out.set_dim_param(to_string(dim));
  }
}

void OnnxWriter::write_inputs(const Graph& graph, std::vector<std::string>& names) {
  for (const Port& port : graph.inputs) port_names_.insert(port.name);
  for (const Port& port : graph.outputs) port_names_.insert(port.name);
  for (const Port& port : graph.inputs) {
    const Type& type = graph[port.value].type;
    names[port.value.index] = port.name;
    declare(*out_.add_input(), port.name, type);
    for (size_t axis = 0; axis < type.shape.size() && make_rows_ == nullptr; ++axis) {
      const Dim dim = type.shape[axis];
      if (dim.is_fixed()) continue;
      make_rows_ = [this, name = port.name, axis, dim] {
        const auto from = static_cast<int64_t>(axis);
        std::string count = emit("Shape", {name}, {{"start", from}, {"end", from + 1}});
        if (dim.fixed != 0) count = emit("Sub", {count, integers(std::vector<int64_t>{dim.fixed})});
        if (dim.per_row != 1) count = emit("Div", {count, integers(std::vector<int64_t>{dim.per_row})});
        return count;
      };
    }
  }
}

void OnnxWriter::write_outputs(const Graph& graph, const std::vector<std::string>& names) {
  for (const Port& port : graph.outputs) {
    onnx::NodeProto& node = *out_.add_node();
    node.set_op_type("Identity");
    node.set_name("output " + port.name);
    node.add_input(names[port.value.index]);
    node.add_output(port.name);
    declare(*out_.add_output(), port.name, graph[port.value].type);
  }
}

void OnnxWriter::write(const Graph& graph) {
  std::vector<std::string> names(graph.nodes.size());
  write_inputs(graph, names);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op->name == "input") continue;
    ExportNode given{node, {}, {}};
    for (const Value input : node.inputs) {
      given.inputs.push_back(names[input.index]);
      given.input_types.push_back(graph[input].type);
    }
    node_name_ = node.name;
    names[i] = write_node(given);
  }
  write_outputs(graph, names);
}

std::string OnnxWriter::write_node(const ExportNode& node) {
  const Op& op = *node.node.op;
  if (op.name == "constant") return constant(node.node.constant);
  if (op.name == "growing_constant") {
    const std::string flat = integers(node.attributes().dims("values"));
    return reshape(flat, node.attributes().dims("shape"));
  }
  if (const Export* entry = ExportRegistry::instance().find(op.name)) return entry->write(*this, node);
  if (op.op_class == OpClass::opaque) {
    fail(ErrorKind::unsupported, "export", "only the values of this function are known; expected a network");
  }
  require(op.lower != nullptr, op.name, "the operation cannot be exported");
  return write_lowered(node);
}

std::string OnnxWriter::write_lowered(const ExportNode& node) {
  Graph graph;
  Builder builder(graph);
  std::vector<Value> operands;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    operands.push_back(builder.input(fmt::format("operand {}", i), node.input_types[i]));
  }
  const Value result = node.node.op->lower(builder, operands, node.attributes());
  std::vector<std::string> names(graph.nodes.size());
  for (size_t i = 0; i < operands.size(); ++i) names[operands[i].index] = node.inputs[i];
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& inner = graph.nodes[i];
    if (inner.op->name == "input") continue;
    ExportNode given{inner, {}, {}};
    for (const Value input : inner.inputs) {
      given.inputs.push_back(names[input.index]);
      given.input_types.push_back(graph[input].type);
    }
    names[i] = write_node(given);
  }
  return names[result.index];
}

RegisterExport::RegisterExport(std::string op, ExportFunction write) {
  require(!op.empty() && write != nullptr, op, "an export needs the name of an operation and a function");
  ExportRegistry::instance().add(std::move(op), {write});
}

}  // namespace ascribe::core
