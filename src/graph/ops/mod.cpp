// The remainder of a / b with broadcasting: with the sign of b, or with that of a if fmod is set.
// An integer remainder by 0 is refused.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_mod {
namespace {

int64_t remainder(int64_t a, int64_t b) {
  if (b == 0) fail(ErrorKind::model, "mod", "an integer is divided by 0; got {} mod 0", a);
  return b == -1 ? 0 : a % b;  // the smallest integer has no quotient by -1
}
float remainder(float a, float b) { return std::fmod(a, b); }
double remainder(double a, double b) { return std::fmod(a, b); }

void apply(const Evaluation& e) {
  const bool sign_of_a = e.attributes.flag("fmod");
  visit_number(e.output.dtype, [&]<class T>(T) {
    apply_binary<T, T>(e, [&](T a, T b) {
      const T rest = remainder(a, b);
      return !sign_of_a && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    });
  });
}

// The quotient is what is chosen.
Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  Value quotient = b.div(in[0], in[1]);
  const Value down = b.op("floor", {quotient});
  if (attributes.flag("fmod")) {
    quotient = b.op("where", {b.op("less", {quotient, b.scalar(0)}), b.op("ceil", {quotient}), down});
  } else {
    quotient = down;
  }
  return b.sub(in[0], b.mul(in[1], quotient));
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  if (r.operand == 0) return gradient;
  const Value quotient = r.b.op("round", {r.b.div(r.b.sub(r.inputs[0], r.output), r.inputs[1])});
  return r.b.op("neg", {r.b.mul(gradient, quotient)});
}

const RegisterOp mod({.name = "mod",
                      .op_class = OpClass::selection,
                      .traits = {.pointwise = true, .sign = Sign::kept},
                      .formula = "a - b floor(a / b), or with the quotient truncated (fmod)",
                      .min_inputs = 2,
                      .max_inputs = 2,
                      .infer = infer_broadcast_number,
                      .apply = apply,
                      .adjoint = adjoint,
                      .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_mod
