// Add, Sub, Mul, Div, Mod and the variadic Sum, Mean, Max, Min. Opset 7 and later broadcast
// like numpy; before, the attribute `broadcast` lays the second operand along `axis`.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_arithmetic {
namespace {

Value second_operand(NodeContext& c) {
  const Value value = c.in(1);
  if (c.opset() >= 7 || c.integer("broadcast", 0) == 0 || !c.has_attribute("axis")) return value;
  const int64_t rank = c.b().rank(c.in(0));
  const int64_t missing = rank - axis_attribute(c, 0, rank) - c.b().rank(value);
  if (missing < 0) c.refuse("the second operand does not fit behind axis {}", c.integer("axis"));
  Dims shape = c.b().shape(value);
  shape.resize(shape.size() + missing, 1);
  return c.b().reshape(value, shape);
}

template <Literal Name>
void lower_arithmetic(NodeContext& c) {
  c.out(0, c.b().op(Name.text, {c.in(0), second_operand(c)}));
}

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

const RegisterLowering add("Add", lower_arithmetic<"add">);
const RegisterLowering sub("Sub", lower_arithmetic<"sub">);
const RegisterLowering mul("Mul", lower_arithmetic<"mul">);
const RegisterLowering div("Div", lower_arithmetic<"div">);
const RegisterLowering sum("Sum", lower_variadic<"add">);
const RegisterLowering maximum("Max", lower_variadic<"maximum">);
const RegisterLowering minimum("Min", lower_variadic<"minimum">);

const RegisterLowering mean("Mean", [](NodeContext& c) {
  c.out(0, c.b().mul(combine_all<"add">(c), 1.0 / static_cast<double>(c.input_count())));
});

const RegisterLowering mod("Mod", [](NodeContext& c) {
  const int64_t fmod = c.integer("fmod", 0) != 0;
  if (fmod == 0 && c.b().kind(c.in(0)) == Kind::real) c.refuse("Mod of reals needs fmod = 1");
  c.out(0, c.b().op("mod", {c.in(0), c.in(1)}, {{"fmod", ints({fmod})}}));
});

}  // namespace
}  // namespace ascribe::core::lowering_arithmetic
