// Inverse hyperbolic sine.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_asinh {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("reciprocal", {b.op("sqrt", {b.add(b.mul(x, x), 1)})});
}

const RegisterOp asinh_op(with_derivative(unary_real_op("asinh", OpClass::elementwise, "asinh(x)",
                                                        []<class T>(T x) { return std::asinh(x); },
                                                        {.sign = Sign::kept, .rises = true}),
                                          derivative));

}  // namespace
}  // namespace ascribe::core::op_asinh
