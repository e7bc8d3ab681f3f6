// Cosine, in radians.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_cos {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("neg", {b.op("sin", {x})});
}

const RegisterOp cos_op(with_derivative(unary_real_op("cos", OpClass::elementwise, "cos(x)",
                                                      []<class T>(T x) { return std::cos(x); }, {.bounded = true}),
                                        derivative));

}  // namespace
}  // namespace ascribe::core::op_cos
