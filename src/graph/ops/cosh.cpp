// Hyperbolic cosine.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_cosh {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("sinh", {x});
}

const RegisterOp cosh_op(with_derivative(unary_real_op("cosh", OpClass::elementwise, "cosh(x)",
                                                       []<class T>(T x) { return std::cosh(x); },
                                                       {.sign = Sign::never_negative}),
                                         derivative));

}  // namespace
}  // namespace ascribe::core::op_cosh
