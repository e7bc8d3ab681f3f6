#include "graph/builder.h"

#include <array>
#include <limits>

#include "base/checked.h"
#include "graph/work.h"

namespace ascribe::core {

namespace {

// Larger results are computed at run time: a file must not make the importer allocate without bound.
constexpr int64_t kLargestFold = int64_t{1} << 28;
constexpr int64_t kLargestGrowingFold = 1 << 12;
constexpr int64_t kExactFold = int64_t{1} << 20;
// A file of a few bytes can ask for large constants made from nothing (Expand, Tile, comparisons of two ranges). They
// count more than those that are made from what the file holds.
constexpr int64_t kGrowth = 4, kChargeForGrowth = 32;
constexpr int64_t kChargeForWork = 4;  // the plain loops that fold take longer than kernels
constexpr int64_t kLargestValue = int64_t{1} << 36;
// Two batches determine an affine function; the others catch what is not one (min(N, 4), N * N).
constexpr std::array<int64_t, 4> kProbes = {2, 3, 5, 1009};

Attributes growing_attributes(const Dims& values, const Shape& shape) {
  return {{"values", values}, {"shape", ints(shape)}};
}

}  // namespace

Tensor evaluate(const Op& op, std::span<const Tensor> inputs, const Attributes& resolved, const Type& type,
                int64_t batch, DType real_dtype) {
  std::vector<Tensor> operands;
  std::vector<TensorRef> refs;
  operands.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    operands.push_back(kind_of(input.dtype()) == Kind::real ? input.cast(real_dtype) : input);
    refs.push_back(operands.back().view());
  }
  Tensor result(storage(type.kind, real_dtype), at(type.shape, batch));
  const TensorRef output = result.ref();
  op.apply({refs, output, resolved});
  return result;
}

Tensor constant_at(const Node& node, int64_t batch) {
  if (node.op->name == "constant") return node.constant;
  require(node.op->name == "growing_constant", node.op->name, "not a constant");
  return Tensor::of<int64_t>(node.attributes.integers("shape"), at(node.attributes.dims("values"), batch));
}

Value Builder::append(Node node) {
  if (static_cast<int64_t>(graph_.nodes.size()) >= limits_.nodes) {
    fail(ErrorKind::model, where_, "the model unrolls into too many operations; expected at most {}", limits_.nodes);
  }
  if (node.name.empty()) node.name = name_;
  graph_.nodes.push_back(std::move(node));
  return {static_cast<int32_t>(graph_.nodes.size()) - 1};
}

Value Builder::input(const std::string& name, Type type, std::string element_type) {
  Node node;
  node.op = &op_named("input");
  node.type = std::move(type);
  node.name = name;
  const Value value = append(std::move(node));
  graph_.inputs.push_back({name, value, std::move(element_type)});
  return value;
}

void Builder::output(const std::string& name, Value value, std::string element_type) {
  graph_.outputs.push_back({name, value, std::move(element_type)});
}

Value Builder::constant(Tensor tensor) {
  Node node;
  node.op = &op_named("constant");
  node.type = {kind_of(tensor.dtype()), to_dims(tensor.shape())};
  node.constant = std::move(tensor);
  return append(std::move(node));
}

Value Builder::scalar(double value) { return constant(Tensor::scalar(value)); }

Value Builder::integer(int64_t value) { return constant(Tensor::scalar(value)); }

Value Builder::integers(const Dims& values) { return integers(values, {static_cast<int64_t>(values.size())}); }

Value Builder::integers(const Dims& values, const Shape& shape) {
  if (all_fixed(values)) return constant(Tensor::of<int64_t>(shape, at(values, 1)));
  Node node;
  node.op = &op_named("growing_constant");
  node.attributes = growing_attributes(values, shape);
  node.type = {Kind::integer, to_dims(shape)};
  return append(std::move(node));
}

bool Builder::is_constant(Value value) const { return graph_.is(value, "constant"); }

std::optional<Tensor> Builder::known(Value value) const {
  if (!is_constant(value)) return std::nullopt;
  return graph_[value].constant;
}

std::optional<Dims> Builder::known_integers(Value value) const {
  const Node& node = graph_[value];
  if (node.op->name == "growing_constant") return node.attributes.dims("values");
  if (node.op->name != "constant" || node.type.kind != Kind::integer) return std::nullopt;
  const auto values = node.constant.data<int64_t>();
  return Dims(values.begin(), values.end());
}

Value Builder::op(std::string_view name, std::vector<Value> inputs, Attributes attributes) {
  const Op& op = op_named(name);
  const int count = static_cast<int>(inputs.size());
  require(count >= op.min_inputs && count <= op.max_inputs, name, "wrong number of operands");
  std::vector<Type> types;
  types.reserve(inputs.size());
  for (const Value input : inputs) {
    require(input.valid() && static_cast<size_t>(input.index) < graph_.nodes.size(), name, "an operand is missing");
    types.push_back(type(input));
  }
  Type type;
  try {
    type = op.infer({where_, types, attributes});
  } catch (const Error& error) {
    // Arithmetic on dimensions does not know the node; say it here.
    if (std::string_view(error.what()).find(where_) != std::string_view::npos) throw;
    throw Error(error.kind(), where_, error.what());
  }
  if (element_count(at(type.shape, 1), where_) > kLargestValue) {
    fail(ErrorKind::model, where_, "the result is too large; got shape {}; expected at most 2^36 elements",
         to_string(type.shape));
  }
  if (auto folded = fold(op, inputs, attributes, type)) return *folded;
  if (auto folded = fold_growing(op, inputs, attributes, type)) return *folded;
  Node node;
  node.op = &op;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  node.type = std::move(type);
  return append(std::move(node));
}

bool Builder::afford(const Op& op, const std::vector<Value>& inputs, const Attributes& attributes, const Type& type,
                     int64_t evaluations) {
  const int64_t elements = element_count(at(type.shape, 1), where_);
  std::vector<Shape> shapes;
  int64_t read = 0;
  for (const Value input : inputs) {
    shapes.push_back(at(shape(input), 1));
    read = checked_add(read, element_count(shapes.back()), where_);
  }
  int64_t work = saturating_multiply(elements, work_per_element(op, shapes, attributes));
  work = saturating_multiply(std::max(work, read), evaluations * kChargeForWork);
  const bool grows = elements > kExactFold && elements / kGrowth > read;
  const int64_t bytes = saturating_multiply(elements, grows ? 8 * kChargeForGrowth : 8);
  if (work > limits_.fold_work || bytes > limits_.fold_bytes) return false;
  limits_.fold_work -= work;
  limits_.fold_bytes -= bytes;
  return true;
}

std::optional<Value> Builder::fold(const Op& op, const std::vector<Value>& inputs, const Attributes& attributes,
                                   const Type& type) {
  if (!all_fixed(type.shape) || element_count(at(type.shape, 1)) > kLargestFold) return std::nullopt;
  std::vector<Tensor> operands;
  int64_t elements = element_count(at(type.shape, 1));
  bool single = true;
  for (const Value input : inputs) {
    if (!is_constant(input)) return std::nullopt;
    operands.push_back(graph_[input].constant);
    elements = std::max(elements, operands.back().size());
    if (operands.back().dtype() == DType::f64) single = false;
  }
  for (const auto& [name, value] : attributes.values()) {
    if (const auto* dims = std::get_if<Dims>(&value); dims != nullptr && !all_fixed(*dims)) return std::nullopt;
  }
  if (!afford(op, inputs, attributes, type, 1)) return std::nullopt;
  // Small constants are folded and kept in double; large ones stay in the precision of the file.
  const DType real_dtype = single && elements > kExactFold ? DType::f32 : DType::f64;
  return constant(evaluate(op, operands, attributes, type, 1, real_dtype));
}

std::optional<Value> Builder::fold_growing(const Op& op, const std::vector<Value>& inputs, const Attributes& attributes,
                                           const Type& type) {
  if (type.kind == Kind::real || inputs.empty()) return std::nullopt;
  if (!all_fixed(type.shape) || element_count(at(type.shape, 1)) > kLargestGrowingFold) return std::nullopt;
  for (const Value input : inputs) {
    if (!is_constant(input) && !graph_.is(input, "growing_constant")) return std::nullopt;
  }
  if (!afford(op, inputs, attributes, type, kProbes.size())) return std::nullopt;
  std::array<Tensor, kProbes.size()> samples;
  for (size_t p = 0; p < kProbes.size(); ++p) {
    std::vector<Tensor> operands;
    for (const Value input : inputs) operands.push_back(constant_at(graph_[input], kProbes[p]));
    samples[p] = evaluate(op, operands, attributes.resolved(kProbes[p]), type, kProbes[p], DType::f64).cast(DType::i64);
  }
  Dims values;
  for (int64_t i = 0; i < samples[0].size(); ++i) {
    const auto sample = [&](size_t p) { return samples[p].data<int64_t>()[i]; };
    const Dim slope = Dim(sample(1)) - Dim(sample(0));  // probes 2 and 3 are one row apart
    const Dim fitted{(Dim(sample(0)) - slope * kProbes[0]).fixed, slope.fixed};
    for (size_t p = 0; p < kProbes.size(); ++p) {
      if (fitted.at(kProbes[p]) != sample(p)) return std::nullopt;
    }
    values.push_back(fitted);
  }
  const Shape shape = at(type.shape, 1);
  if (type.kind == Kind::boolean) {
    if (!all_fixed(values)) return std::nullopt;
    return constant(Tensor::of<int64_t>(shape, at(values, 1)).cast(DType::boolean));
  }
  return integers(values, shape);
}

Value Builder::matmul(Value a, Value b, bool transpose_a, bool transpose_b) {
  return op("matmul", {a, b}, {{"transpose_a", ints({transpose_a})}, {"transpose_b", ints({transpose_b})}});
}

Value Builder::reduce(std::string_view name, Value x, const std::vector<int64_t>& axes, bool keepdims) {
  return op(name, {x}, {{"axes", ints(axes)}, {"keepdims", ints({keepdims})}});
}

Value Builder::slice(Value x, int64_t axis, Dim start, Dim size, int64_t step) {
  const Dims& whole = shape(x);
  Dims starts(whole.size(), 0), sizes = whole, steps(whole.size(), 1);
  const auto i = static_cast<size_t>(axis);
  starts[i] = start;
  sizes[i] = size;
  steps[i] = step;
  return op("slice", {x}, {{"starts", starts}, {"sizes", sizes}, {"steps", steps}});
}

Value Builder::cast(Value x, Kind target) {
  if (kind(x) == target) return x;
  return op("cast", {x}, {{"to", std::string(to_string(target))}});
}

}  // namespace ascribe::core
