// log(1 + exp(x)), without overflow for large x or loss of digits for very negative x.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_softplus {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value x = r.inputs[0];
  return b.op("sigmoid", {x});
}

const RegisterOp softplus(
    with_derivative(unary_real_op("softplus", OpClass::elementwise, "log(1 + exp(x))",
                                  []<class T>(T x) { return std::log1p(std::exp(-std::abs(x))) + (x > 0 ? x : T{0}); },
                                  {.sign = Sign::never_negative, .rises = true}),
                    derivative));

}  // namespace
}  // namespace ascribe::core::op_softplus
