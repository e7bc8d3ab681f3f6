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

const RegisterLowering add({"Add", 14, "axis:-6 broadcast consumed_inputs"}, lower_binary<"add">);
const RegisterLowering sub({"Sub", 14, "axis:-6 broadcast consumed_inputs"}, lower_binary<"sub">);
const RegisterLowering mul({"Mul", 14, "axis:-6 broadcast consumed_inputs"}, lower_binary<"mul">);
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
