// Elementwise operations: ONNX has most of them under another name.
#include <cmath>

#include "onnx/export/writer.h"

namespace ascribe::core::export_elementwise {
namespace {

// A name as a template argument, so that one function serves the whole table.
template <size_t Size>
struct Name {
  constexpr Name(const char (&text)[Size]) { std::copy_n(text, Size, characters); }  // NOLINT: a literal is a name
  char characters[Size];
};

template <Name name>
std::string same(OnnxWriter& w, const ExportNode& n) {
  return w.emit(name.characters, n.inputs);
}

const RegisterExport kSame[] = {
    {"add", same<"Add">},
    {"sub", same<"Sub">},
    {"mul", same<"Mul">},
    {"div", same<"Div">},
    {"neg", same<"Neg">},
    {"pow", same<"Pow">},
    {"sigmoid", same<"Sigmoid">},
    {"tanh", same<"Tanh">},
    {"exp", same<"Exp">},
    {"log", same<"Log">},
    {"erf", same<"Erf">},
    {"softplus", same<"Softplus">},
    {"sqrt", same<"Sqrt">},
    {"reciprocal", same<"Reciprocal">},
    {"sin", same<"Sin">},
    {"cos", same<"Cos">},
    {"tan", same<"Tan">},
    {"asin", same<"Asin">},
    {"acos", same<"Acos">},
    {"atan", same<"Atan">},
    {"sinh", same<"Sinh">},
    {"cosh", same<"Cosh">},
    {"asinh", same<"Asinh">},
    {"acosh", same<"Acosh">},
    {"atanh", same<"Atanh">},
    {"relu", same<"Relu">},
    {"abs", same<"Abs">},
    {"maximum", same<"Max">},
    {"minimum", same<"Min">},
    {"hard_swish", same<"HardSwish">},
    {"equal", same<"Equal">},
    {"less", same<"Less">},
    {"less_equal", same<"LessOrEqual">},
    {"logical_and", same<"And">},
    {"logical_or", same<"Or">},
    {"logical_xor", same<"Xor">},
    {"logical_not", same<"Not">},
    {"floor", same<"Floor">},
    {"ceil", same<"Ceil">},
    {"round", same<"Round">},
    {"quantize", same<"Round">},
    {"sign", same<"Sign">},
    {"is_nan", same<"IsNaN">},
};

const RegisterExport is_inf("is_inf", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("IsInf", n.inputs,
                {{"detect_positive", n.attributes().integer("positive")},
                 {"detect_negative", n.attributes().integer("negative")}});
});

// ONNX keeps attributes in float32, so in double the slope is an operand.
const RegisterExport leaky_relu("leaky_relu", [](OnnxWriter& w, const ExportNode& n) {
  const double alpha = n.attributes().real("alpha");
  if (w.real() == DType::f32) return w.emit("LeakyRelu", n.inputs, {{"alpha", alpha}});
  const std::string zero = w.scalar(0);
  const std::string negative = w.emit("Mul", {w.emit("Min", {n.inputs[0], zero}), w.scalar(alpha)});
  return w.emit("Add", {w.emit("Max", {n.inputs[0], zero}), negative});
});

const RegisterExport clip("clip", [](OnnxWriter& w, const ExportNode& n) -> std::string {
  const auto bound = [&](double value) -> std::string {
    if (std::isinf(value)) return "";
    return n.kind(0) == Kind::integer ? w.constant(Tensor::scalar(value).cast(DType::i64)) : w.scalar(value);
  };
  const double low = n.attributes().real("min"), high = n.attributes().real("max");
  // An infinite bound bounds nothing on its own side and everything on the other.
  if (low == INFINITY || high == -INFINITY) {
    return w.emit("Min", {w.emit("Max", {n.inputs[0], w.scalar(low)}), w.scalar(high)});
  }
  return w.emit("Clip", {n.inputs[0], bound(low), bound(high)});
});

const RegisterExport where("where", [](OnnxWriter& w, const ExportNode& n) {
  if (n.kind(1) != Kind::boolean) return w.emit("Where", n.inputs);
  // ONNX Runtime has no Where of booleans.
  const std::string chosen = w.emit("And", {n.inputs[0], n.inputs[1]});
  return w.emit("Or", {chosen, w.emit("And", {w.emit("Not", {n.inputs[0]}), n.inputs[2]})});
});

std::string real_of(OnnxWriter& w, const std::string& boolean) {
  return w.emit("Cast", {boolean}, {{"to", int64_t{w.element_code(Kind::real)}}});
}

const RegisterExport gate("gate", [](OnnxWriter& w, const ExportNode& n) {
  // A product with 0 or 1, because ONNX Runtime's Where takes three times as long.
  const std::string open = w.emit("Not", {w.emit("LessOrEqual", {n.inputs[1], w.scalar(0)})});
  return w.emit("Mul", {n.inputs[0], real_of(w, open)});
});

// What the division gives where z is 0 is taken away again, if it is guarded.
const RegisterExport share("share", [](OnnxWriter& w, const ExportNode& n) {
  const double scale = n.attributes().real("scale"), epsilon = n.attributes().real("epsilon");
  const std::string zero = w.scalar(0), &z = n.inputs[1];
  std::string given = n.inputs.size() > 2 ? w.emit("Mul", {n.inputs[0], n.inputs[2]}) : n.inputs[0];
  if (scale != 1) given = w.emit("Mul", {given, w.scalar(scale)});
  std::string divisor = z;
  if (epsilon != 0) {
    const std::string below = real_of(w, w.emit("Less", {z, zero}));
    const std::string sign = w.emit("Add", {w.emit("Mul", {below, w.scalar(-2 * epsilon)}), w.scalar(epsilon)});
    divisor = w.emit("Add", {z, sign});
  }
  const std::string quotient = w.emit("Div", {given, divisor});
  if (!n.attributes().flag("guarded")) return quotient;
  return w.emit("Where", {w.emit("Equal", {z, zero}), zero, quotient});
});

// As its lowering, which guards the division besides, for derivatives.
const RegisterExport secant("secant", [](OnnxWriter& w, const ExportNode& n) {
  const std::vector<std::string>& in = n.inputs;
  if (in.size() == 3) {
    const std::string zero = w.scalar(0), dx = w.emit("Sub", {in[1], in[2]});
    const std::string slope = w.emit("Div", {w.emit("Sub", {w.emit("Relu", {in[1]}), w.emit("Relu", {in[2]})}), dx});
    const std::string open = real_of(w, w.emit("Less", {zero, in[1]}));
    return w.emit("Mul", {in[0], w.emit("Where", {w.emit("Equal", {dx, zero}), open, slope})});
  }
  const std::string dx = w.emit("Sub", {in[3], in[4]});
  const std::string size = w.emit("Add", {w.emit("Abs", {in[3]}), w.emit("Abs", {in[4]})});
  const std::string least = w.emit("Max", {w.emit("Mul", {size, w.scalar(n.attributes().real("relative"))}),
                                           w.scalar(n.attributes().real("absolute"))});
  const std::string slope = w.emit("Div", {w.emit("Sub", {in[1], in[2]}), dx});
  return w.emit("Where", {w.emit("Less", {least, w.emit("Abs", {dx})}), w.emit("Mul", {in[0], slope}), in[5]});
});

const RegisterExport mod("mod", [](OnnxWriter& w, const ExportNode& n) {
  const bool fmod = n.attributes().flag("fmod");
  if (n.kind(0) == Kind::integer || fmod) return w.emit("Mod", n.inputs, {{"fmod", int64_t{fmod}}});
  // Of reals, ONNX only has the remainder with the sign of the dividend; this one has that of the divisor.
  const std::string& b = n.inputs[1];
  const std::string rest = w.emit("Mod", n.inputs, {{"fmod", int64_t{1}}});
  return w.emit("Mod", {w.emit("Add", {rest, b}), b}, {{"fmod", int64_t{1}}});
});

const RegisterExport cast("cast", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("Cast", n.inputs, {{"to", int64_t{w.element_code(n.node.type.kind)}}});
});

}  // namespace
}  // namespace ascribe::core::export_elementwise
