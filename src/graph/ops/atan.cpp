// Inverse tangent in (-pi/2, pi/2).
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_atan {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("reciprocal", {b.add(b.mul(x, x), 1)});
}

const RegisterOp atan_op(with_derivative(unary_real_op("atan", OpClass::elementwise, "atan(x)",
                                                       []<class T>(T x) { return std::atan(x); },
                                                       {.sign = Sign::kept, .bounded = true, .rises = true}),
                                         derivative));

}  // namespace
}  // namespace ascribe::core::op_atan
