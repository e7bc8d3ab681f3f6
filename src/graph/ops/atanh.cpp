// Inverse hyperbolic tangent; NaN outside of [-1, 1].
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_atanh {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("reciprocal", {b.sub(b.scalar(1), b.mul(x, x))});
}

const RegisterOp atanh_op(with_derivative(unary_real_op("atanh", OpClass::elementwise, "atanh(x)",
                                                        []<class T>(T x) { return std::atanh(x); },
                                                        {.sign = Sign::kept, .rises = true}),
                                          derivative));

}  // namespace
}  // namespace ascribe::core::op_atanh
