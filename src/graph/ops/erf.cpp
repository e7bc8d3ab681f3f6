// erf(x) = 2 / sqrt(pi) * integral of exp(-t^2) over [0, x].
#include <cmath>
#include <numbers>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_erf {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.mul(b.op("exp", {b.op("neg", {b.mul(x, x)})}), 2 * std::numbers::inv_sqrtpi);
}

const RegisterOp erf_op(with_derivative(unary_real_op("erf", OpClass::elementwise, "erf(x)",
                                                      []<class T>(T x) { return std::erf(x); },
                                                      {.sign = Sign::kept, .bounded = true, .rises = true}),
                                        derivative));

}  // namespace
}  // namespace ascribe::core::op_erf
