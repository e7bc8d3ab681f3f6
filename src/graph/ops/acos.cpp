// Inverse cosine in [0, pi]; NaN outside of [-1, 1].
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_acos {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("neg", {b.op("reciprocal", {b.op("sqrt", {b.sub(b.scalar(1), b.mul(x, x))})})});
}

const RegisterOp acos_op(with_derivative(unary_real_op("acos", OpClass::elementwise, "acos(x)",
                                                       []<class T>(T x) { return std::acos(x); },
                                                       {.sign = Sign::never_negative}),
                                         derivative));

}  // namespace
}  // namespace ascribe::core::op_acos
