// Inverse hyperbolic cosine; NaN below 1.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_acosh {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("reciprocal", {b.op("sqrt", {b.add(b.mul(x, x), -1)})});
}

const RegisterOp acosh_op(with_derivative(unary_real_op("acosh", OpClass::elementwise, "acosh(x)",
                                                        []<class T>(T x) { return std::acosh(x); },
                                                        {.sign = Sign::never_negative, .rises = true}),
                                          derivative));

}  // namespace
}  // namespace ascribe::core::op_acosh
