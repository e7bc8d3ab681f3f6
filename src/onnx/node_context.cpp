#include <onnx/onnx_pb.h>

#include "onnx/import_state.h"
#include "onnx/lowering.h"

namespace ascribe::core {

namespace {

using onnx::AttributeProto;

// Old exporters leave the type of an attribute out; then the field that is set tells it.
bool has_type(const AttributeProto& attribute, AttributeProto::AttributeType type) {
  return attribute.type() == type || attribute.type() == AttributeProto::UNDEFINED;
}

}  // namespace

NodeContext::NodeContext(Importer& importer, Builder& builder, const onnx::NodeProto& node, int64_t opset)
    : importer_(importer), builder_(builder), node_(node), opset_(opset) {}

std::string_view NodeContext::op_type() const { return node_.op_type(); }

size_t NodeContext::input_count() const { return node_.input_size(); }

bool NodeContext::has(size_t input) const {
  return input < input_count() && !node_.input(static_cast<int>(input)).empty();
}

Value NodeContext::in(size_t input) const {
  if (!has(input)) refuse("input {} is missing", input);
  return importer_.value(node_.input(static_cast<int>(input)), where());
}

std::string NodeContext::element_type(size_t input) const {
  return has(input) ? importer_.element_type(node_.input(static_cast<int>(input))) : "";
}

size_t NodeContext::output_count() const { return node_.output_size(); }

bool NodeContext::wants(size_t output) const {
  return output < output_count() && !node_.output(static_cast<int>(output)).empty();
}

void NodeContext::out(size_t output, Value value) {
  require(value.valid(), where(), "a lowering gave no value");
  if (wants(output)) importer_.define(node_.output(static_cast<int>(output)), value);
}

void NodeContext::out(size_t output, Value value, std::string_view element_type) {
  out(output, value);
  if (wants(output)) importer_.declare(node_.output(static_cast<int>(output)), element_type);
}

int64_t NodeContext::text_code(const std::string& text) const { return importer_.vocabulary().code(text); }

void NodeContext::reads_texts(size_t input, const std::vector<std::string>& table, bool unknown) const {
  importer_.texts().reads(builder_, in(input), table, unknown);
}

void NodeContext::name_classes(Value scores, std::vector<std::string> labels) const {
  importer_.name_classes(scores, std::move(labels));
}

const AttributeProto* NodeContext::find(std::string_view name) const {
  for (const auto& attribute : node_.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

bool NodeContext::has_attribute(std::string_view name) const { return find(name) != nullptr; }

int64_t NodeContext::integer(std::string_view name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) refuse("the attribute '{}' is missing", name);
  if (!has_type(*attribute, AttributeProto::INT)) refuse("the attribute '{}' is not an integer", name);
  return attribute->i();
}

int64_t NodeContext::integer(std::string_view name, int64_t otherwise) const {
  return has_attribute(name) ? integer(name) : otherwise;
}

double NodeContext::real(std::string_view name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) refuse("the attribute '{}' is missing", name);
  if (attribute->type() == AttributeProto::INT) return static_cast<double>(attribute->i());
  if (!has_type(*attribute, AttributeProto::FLOAT)) refuse("the attribute '{}' is not a number", name);
  return attribute->f();
}

double NodeContext::real(std::string_view name, double otherwise) const {
  return has_attribute(name) ? real(name) : otherwise;
}

std::string NodeContext::text(std::string_view name, std::string_view otherwise) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) return std::string(otherwise);
  if (!has_type(*attribute, AttributeProto::STRING)) refuse("the attribute '{}' is not a text", name);
  return attribute->s();
}

std::vector<int64_t> NodeContext::integers(std::string_view name, std::vector<int64_t> otherwise) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!has_type(*attribute, AttributeProto::INTS)) refuse("the attribute '{}' is not a list of integers", name);
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<double> NodeContext::reals(std::string_view name, std::vector<double> otherwise) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!has_type(*attribute, AttributeProto::FLOATS)) refuse("the attribute '{}' is not a list of numbers", name);
  return {attribute->floats().begin(), attribute->floats().end()};
}

std::vector<std::string> NodeContext::texts(std::string_view name, std::vector<std::string> otherwise) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!has_type(*attribute, AttributeProto::STRINGS)) refuse("the attribute '{}' is not a list of texts", name);
  return {attribute->strings().begin(), attribute->strings().end()};
}

Tensor NodeContext::tensor(std::string_view name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) refuse("the attribute '{}' is missing", name);
  if (!has_type(*attribute, AttributeProto::TENSOR)) refuse("the attribute '{}' is not a tensor", name);
  return importer_.tensor(attribute->t(), where());
}

Tensor NodeContext::tensor_with_nan(std::string_view name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) refuse("the attribute '{}' is missing", name);
  if (!has_type(*attribute, AttributeProto::TENSOR)) refuse("the attribute '{}' is not a tensor", name);
  return importer_.tensor(attribute->t(), where(), NanPolicy::allow);
}

bool NodeContext::tensor_is_text(std::string_view name) const {
  const auto* attribute = find(name);
  return attribute != nullptr && attribute->t().data_type() == onnx::TensorProto::STRING;
}

std::vector<std::string> NodeContext::tensor_texts(std::string_view name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) refuse("the attribute '{}' is missing", name);
  return {attribute->t().string_data().begin(), attribute->t().string_data().end()};
}

Tensor NodeContext::constant(size_t input, std::string_view what) const {
  if (const auto tensor = builder_.known(in(input))) return *tensor;
  unsupported("{} must be known when the model is loaded; it is computed from an input", what);
}

Dims NodeContext::known_integers(size_t input, std::string_view what) const {
  if (is_text(input)) refuse("{} must be integers; got texts", what);
  const Value value = in(input);
  if (builder_.kind(value) != Kind::integer) {
    refuse("{} must be integers; got {}", what, to_string(builder_.type(value)));
  }
  if (const auto values = builder_.known_integers(value)) return *values;
  unsupported("{} must be known when the model is loaded; it is computed from an input", what);
}

std::vector<int64_t> NodeContext::fixed_integers(size_t input, std::string_view what) const {
  std::vector<int64_t> result;
  for (const Dim value : known_integers(input, what)) {
    if (!value.is_fixed()) unsupported("{} depends on the number of rows; got {}", what, to_string(value));
    result.push_back(value.fixed);
  }
  return result;
}

std::vector<Value> NodeContext::run_body(std::string_view name, std::span<const Value> inputs) const {
  const auto* attribute = find(name);
  if (attribute == nullptr || !attribute->has_g()) refuse("the attribute '{}' is missing, or not a graph", name);
  const std::string here = where();
  auto outputs = importer_.run_body(attribute->g(), inputs, opset_, here);
  builder_.set_where(here);
  return outputs;
}

bool NodeContext::batch_was_fixed() const { return importer_.batch_was_fixed(); }
int64_t NodeContext::file_rows() const { return importer_.file_rows(); }

}  // namespace ascribe::core
