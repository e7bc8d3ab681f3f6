// Hyperbolic tangent.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_tanh {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value y = r.output;
  return b.sub(b.scalar(1), b.mul(y, y));
}

const RegisterOp tanh_op(with_derivative(unary_real_op("tanh", OpClass::elementwise, "tanh(x)",
                                                       []<class T>(T x) { return std::tanh(x); },
                                                       {.sign = Sign::kept, .bounded = true, .rises = true}),
                                         derivative));

}  // namespace
}  // namespace ascribe::core::op_tanh
