// Natural logarithm; NaN for negative operands.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_log {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("reciprocal", {x});
}

const RegisterOp log_op(with_derivative(unary_real_op("log", OpClass::elementwise, "log(x)",
                                                      []<class T>(T x) { return std::log(x); },
                                                      {.rises = true, .scale_free = true}),
                                        derivative));

}  // namespace
}  // namespace ascribe::core::op_log
