// Sine, in radians.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_sin {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("cos", {x});
}

const RegisterOp sin_op(with_derivative(unary_real_op("sin", OpClass::elementwise, "sin(x)",
                                                      []<class T>(T x) { return std::sin(x); }, {.bounded = true}),
                                        derivative));

}  // namespace
}  // namespace ascribe::core::op_sin
