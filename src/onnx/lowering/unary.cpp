// Operators of one variable that are core operations under another name.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_unary {
namespace {

const RegisterLowering identity("Identity", [](NodeContext& c) { c.out(0, c.in(0)); });

const RegisterLowering neg("Neg", lower_unary<"neg">);
const RegisterLowering abs("Abs", lower_unary<"abs">);
const RegisterLowering reciprocal("Reciprocal", lower_unary<"reciprocal">);
const RegisterLowering sqrt("Sqrt", lower_unary<"sqrt">);
const RegisterLowering exp("Exp", lower_unary<"exp">);
const RegisterLowering log("Log", lower_unary<"log">);
const RegisterLowering erf("Erf", lower_unary<"erf">);

const RegisterLowering sin("Sin", lower_unary<"sin">);
const RegisterLowering cos("Cos", lower_unary<"cos">);
const RegisterLowering tan("Tan", lower_unary<"tan">);
const RegisterLowering asin("Asin", lower_unary<"asin">);
const RegisterLowering acos("Acos", lower_unary<"acos">);
const RegisterLowering atan("Atan", lower_unary<"atan">);
const RegisterLowering sinh("Sinh", lower_unary<"sinh">);
const RegisterLowering cosh("Cosh", lower_unary<"cosh">);
const RegisterLowering asinh("Asinh", lower_unary<"asinh">);
const RegisterLowering acosh("Acosh", lower_unary<"acosh">);
const RegisterLowering atanh("Atanh", lower_unary<"atanh">);

const RegisterLowering ceil("Ceil", lower_unary<"ceil">);
const RegisterLowering floor("Floor", lower_unary<"floor">);
const RegisterLowering round("Round", lower_unary<"round">);
const RegisterLowering is_nan("IsNaN", lower_unary<"is_nan">);

const RegisterLowering is_inf("IsInf", [](NodeContext& c) {
  const int64_t positive = c.integer("detect_positive", 1) != 0;
  const int64_t negative = c.integer("detect_negative", 1) != 0;
  c.out(0, c.b().op("is_inf", {c.in(0)}, {{"positive", ints({positive})}, {"negative", ints({negative})}}));
});

const RegisterLowering sign("Sign", [](NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  if (b.kind(x) == Kind::real) return c.out(0, b.op("sign", {x}));
  c.out(0, b.op("clip", {x}, {{"min", reals({-1})}, {"max", reals({1})}}));
});

}  // namespace
}  // namespace ascribe::core::lowering_unary
