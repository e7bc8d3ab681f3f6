// Operators of one variable that are core operations under another name.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_unary {
namespace {

const RegisterLowering identity({"Identity", 25}, [](NodeContext& c) { c.out(0, c.in(0)); });

const RegisterLowering neg({"Neg", 13, "consumed_inputs"}, lower_unary<"neg">);
const RegisterLowering abs({"Abs", 13, "consumed_inputs"}, lower_unary<"abs">);
const RegisterLowering reciprocal({"Reciprocal", 13, "consumed_inputs"}, lower_unary<"reciprocal">);
const RegisterLowering sqrt({"Sqrt", 13, "consumed_inputs"}, lower_unary<"sqrt">);
const RegisterLowering exp({"Exp", 13, "consumed_inputs"}, lower_unary<"exp">);
const RegisterLowering log({"Log", 13, "consumed_inputs"}, lower_unary<"log">);
const RegisterLowering erf({"Erf", 13}, lower_unary<"erf">);

const RegisterLowering sin({"Sin", 22}, lower_unary<"sin">);
const RegisterLowering cos({"Cos", 22}, lower_unary<"cos">);
const RegisterLowering tan({"Tan", 22}, lower_unary<"tan">);
const RegisterLowering asin({"Asin", 22}, lower_unary<"asin">);
const RegisterLowering acos({"Acos", 22}, lower_unary<"acos">);
const RegisterLowering atan({"Atan", 22}, lower_unary<"atan">);
const RegisterLowering sinh({"Sinh", 22}, lower_unary<"sinh">);
const RegisterLowering cosh({"Cosh", 22}, lower_unary<"cosh">);
const RegisterLowering asinh({"Asinh", 22}, lower_unary<"asinh">);
const RegisterLowering acosh({"Acosh", 22}, lower_unary<"acosh">);
const RegisterLowering atanh({"Atanh", 22}, lower_unary<"atanh">);

const RegisterLowering ceil({"Ceil", 13, "consumed_inputs"}, lower_unary<"ceil">);
const RegisterLowering floor({"Floor", 13, "consumed_inputs"}, lower_unary<"floor">);
const RegisterLowering round({"Round", 22}, lower_unary<"round">);
const RegisterLowering is_nan({"IsNaN", 20}, lower_unary<"is_nan">);

const RegisterLowering is_inf({"IsInf", 20, "detect_negative detect_positive"}, [](NodeContext& c) {
  const int64_t positive = c.integer("detect_positive", 1) != 0;
  const int64_t negative = c.integer("detect_negative", 1) != 0;
  c.out(0, c.b().op("is_inf", {c.in(0)}, {{"positive", ints({positive})}, {"negative", ints({negative})}}));
});

const RegisterLowering sign({"Sign", 13}, [](NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  if (b.kind(x) == Kind::real) return c.out(0, b.op("sign", {x}));
  c.out(0, b.op("clip", {x}, {{"min", reals({-1})}, {"max", reals({1})}}));
});

}  // namespace
}  // namespace ascribe::core::lowering_unary
