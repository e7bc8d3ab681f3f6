// Inverse sine in [-pi/2, pi/2]; NaN outside of [-1, 1].
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_asin {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("reciprocal", {b.op("sqrt", {b.sub(b.scalar(1), b.mul(x, x))})});
}

const RegisterOp asin_op(with_derivative(unary_real_op("asin", OpClass::elementwise, "asin(x)",
                                                       []<class T>(T x) { return std::asin(x); },
                                                       {.sign = Sign::kept, .rises = true}),
                                         derivative));

}  // namespace
}  // namespace ascribe::core::op_asin
