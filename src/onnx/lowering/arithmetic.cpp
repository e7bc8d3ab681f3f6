// Add, Sub, Mul, Div, Mod and the variadic Sum, Mean, Max, Min.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_arithmetic {
namespace {

template <Literal Name>
Value combine_all(NodeContext& c) {
  Value result = c.in(0);
  for (size_t i = 1; i < c.input_count(); ++i) result = c.b().op(Name.text, {result, c.in(i)});
  return result;
}

template <Literal Name>
void lower_variadic(NodeContext& c) {
  c.out(0, combine_all<Name>(c));
}

// All ones, known when the model is loaded, and of a shape that leaves that of the other operand.
bool is_one_beside(const Builder& b, Value factor, Value other) {
  if (b.kind(factor) != Kind::real) return false;
  const auto known = b.known(factor);
  if (!known || known->size() == 0 || broadcast_shape(b.shape(factor), b.shape(other), "Mul") != b.shape(other)) {
    return false;
  }
  for (int64_t i = 0; i < known->size(); ++i) {
    if (known->at(i) != 1) return false;
  }
  return true;
}

// Converters of LightGBM multiply what comes out of the last layer by one; what lies behind it is looked for.
void lower_mul(NodeContext& c) {
  const Value x = c.in(0), y = second_operand(c);
  if (!c.b().is_constant(x) && is_one_beside(c.b(), y, x)) return c.out(0, x);
  c.out(0, c.b().op("mul", {x, y}));
}

const RegisterLowering add({"Add", 14, "axis:-6 broadcast consumed_inputs"}, lower_binary<"add">);
const RegisterLowering sub({"Sub", 14, "axis:-6 broadcast consumed_inputs"}, lower_binary<"sub">);
const RegisterLowering mul({"Mul", 14, "axis:-6 broadcast consumed_inputs"}, lower_mul);
const RegisterLowering div({"Div", 14, "axis:-6 broadcast consumed_inputs"}, lower_binary<"div">);
const RegisterLowering sum({"Sum", 13, "consumed_inputs"}, lower_variadic<"add">);
const RegisterLowering maximum({"Max", 13, "consumed_inputs"}, lower_variadic<"maximum">);
const RegisterLowering minimum({"Min", 13, "consumed_inputs"}, lower_variadic<"minimum">);

const RegisterLowering mean({"Mean", 13, "consumed_inputs"}, [](NodeContext& c) {
  c.out(0, c.b().mul(combine_all<"add">(c), 1.0 / static_cast<double>(c.input_count())));
});

const RegisterLowering mod({"Mod", 28, "fmod"}, [](NodeContext& c) {
  const int64_t fmod = c.integer("fmod", 0) != 0;
  if (fmod == 0 && c.opset() < 28 && c.b().kind(c.in(0)) == Kind::real) {
    c.refuse("Mod of reals needs fmod = 1 before opset 28; got fmod = 0 in opset {}", c.opset());
  }
  c.out(0, c.b().op("mod", {c.in(0), c.in(1)}, {{"fmod", ints({fmod})}}));
});

}  // namespace
}  // namespace ascribe::core::lowering_arithmetic
