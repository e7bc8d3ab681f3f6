// LabelEncoder and CategoryMapper: a table of keys and values; what is not a key gets a default. Of a key that is
// listed twice, the first place counts.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_label_encoder {
namespace {

constexpr std::string_view kUnused = "_Unused";

// One side of the table, or its default.
struct Side {
  Tensor values;
  std::vector<std::string> texts;
  bool is_text = false;
  std::string_view element_type = "int64";
};

Side text_side(const NodeContext& c, const std::vector<std::string>& texts) {
  std::vector<int64_t> codes;
  for (const std::string& text : texts) codes.push_back(c.text_code(text));
  return {Tensor::of<int64_t>({std::ssize(codes)}, codes), texts, true, "string"};
}

Side integer_side(const std::vector<int64_t>& values) {
  return {Tensor::of<int64_t>({std::ssize(values)}, values), {}, false, "int64"};
}

Side real_side(const std::vector<double>& values) {
  return {Tensor::of<double>({std::ssize(values)}, values), {}, false, "float32"};
}

Side side(const NodeContext& c, const std::string& name) {
  if (c.has_attribute(name + "_strings")) return text_side(c, c.texts(name + "_strings", {}));
  if (c.has_attribute(name + "_int64s")) return integer_side(c.integers(name + "_int64s", {}));
  if (c.has_attribute(name + "_floats")) return real_side(c.reals(name + "_floats", {}));
  if (!c.has_attribute(name + "_tensor")) c.refuse("the table has no {}", name);
  const Tensor tensor = c.tensor(name + "_tensor");
  if (c.tensor_is_text(name + "_tensor")) return text_side(c, c.tensor_texts(name + "_tensor"));
  const Tensor flat = tensor.reshaped({tensor.size()});
  const bool real = kind_of(flat.dtype()) == Kind::real;
  return {real ? flat.cast(DType::f64) : flat.cast(DType::i64), {}, false, real ? "float32" : "int64"};
}

Value default_of(const NodeContext& c, const Side& values) {
  Builder& b = c.b();
  if (c.has_attribute("default_tensor")) {
    const Tensor tensor = c.tensor("default_tensor");
    if (tensor.size() != 1) c.refuse("default_tensor has {} elements; expected 1", tensor.size());
    return b.constant(tensor.reshaped({}).cast(values.values.dtype()));
  }
  if (values.is_text) return b.integer(c.text_code(c.text("default_string", kUnused)));
  if (kind_of(values.values.dtype()) == Kind::integer) return b.integer(c.integer("default_int64", -1));
  return b.scalar(c.real("default_float", -0.0));
}

void look_up(NodeContext& c, const Side& keys, const Side& values, Value otherwise) {
  Builder& b = c.b();
  if (keys.values.size() != values.values.size() || keys.values.size() < 1) {
    c.refuse("the table has {} keys and {} values; expected as many, and at least one", keys.values.size(),
             values.values.size());
  }
  if (keys.is_text != c.is_text(0) || kind_of(keys.values.dtype()) != b.kind(c.in(0))) {
    c.refuse("the keys are of another type than the operand, {}", to_string(b.type(c.in(0))));
  }
  table_size(c, {keys.values.size()});
  if (keys.is_text) c.reads_texts(0, keys.texts, true);
  const Value x = c.in(0);
  const int64_t last = b.rank(x);
  const Value hit = b.cast(b.op("equal", {unsqueeze(b, x, {last}), b.constant(keys.values)}), Kind::real);
  const Value place =
      b.op("arg_max", {hit}, {{"axis", ints({last})}, {"keepdims", ints({0})}, {"select_last", ints({0})}});
  const Value any = above(b, b.reduce("reduce_max", hit, {last}, false), 0);
  const Value found = b.op("gather", {b.constant(values.values), place}, {{"axis", ints({0})}});
  c.out(0, b.op("where", {any, found, otherwise}), values.element_type);
}

// Version 1: places in a list of texts, in either direction.
void lower_places(NodeContext& c) {
  std::vector<int64_t> numbers;
  const std::vector<std::string> texts = c.texts("classes_strings", {});
  for (size_t i = 0; i < texts.size(); ++i) numbers.push_back(static_cast<int64_t>(i));
  const Side names = text_side(c, texts), places = integer_side(numbers);
  const Side& values = c.is_text(0) ? places : names;
  look_up(c, c.is_text(0) ? names : places, values, default_of(c, values));
}

void lower_label(NodeContext& c) {
  if (c.opset() < 2) return lower_places(c);
  const Side values = side(c, "values");
  look_up(c, side(c, "keys"), values, default_of(c, values));
}

void lower_category(NodeContext& c) {
  const Side texts = text_side(c, c.texts("cats_strings", {})), numbers = integer_side(c.integers("cats_int64s", {}));
  const Side& values = c.is_text(0) ? numbers : texts;
  look_up(c, c.is_text(0) ? texts : numbers, values, default_of(c, values));
}

const RegisterLowering label({"ai.onnx.ml.LabelEncoder", 4,
                              "classes_strings:-1 default_float:2 default_int64 default_string default_tensor:4 "
                              "keys_floats:2 keys_int64s:2 keys_strings:2 keys_tensor:4 values_floats:2 "
                              "values_int64s:2 values_strings:2 values_tensor:4"},
                             lower_label);
const RegisterLowering category({"ai.onnx.ml.CategoryMapper", 1,
                                 "cats_int64s cats_strings default_int64 default_string"},
                                lower_category);

}  // namespace
}  // namespace ascribe::core::lowering_label_encoder
