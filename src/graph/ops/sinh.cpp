// Hyperbolic sine.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_sinh {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("cosh", {x});
}

const RegisterOp sinh_op(with_derivative(unary_real_op("sinh", OpClass::elementwise, "sinh(x)",
                                                       []<class T>(T x) { return std::sinh(x); },
                                                       {.sign = Sign::kept, .rises = true}),
                                         derivative));

}  // namespace
}  // namespace ascribe::core::op_sinh
