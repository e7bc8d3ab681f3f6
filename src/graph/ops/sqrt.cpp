// Square root; NaN for negative operands.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_sqrt {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value y = r.output;
  return b.div(b.scalar(0.5), y);
}

const RegisterOp sqrt_op(
    with_derivative(unary_real_op("sqrt", OpClass::elementwise, "sqrt(x)", []<class T>(T x) { return std::sqrt(x); },
                                  {.sign = Sign::never_negative, .rises = true, .scale_free = true}),
                    derivative));

}  // namespace
}  // namespace ascribe::core::op_sqrt
