// 1 / x; infinite at 0.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_reciprocal {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value y = r.output;
  return b.op("neg", {b.mul(y, y)});
}

const RegisterOp reciprocal(with_derivative(unary_real_op("reciprocal", OpClass::elementwise, "1 / x",
                                                          []<class T>(T x) { return 1 / x; },
                                                          {.sign = Sign::kept, .scale_free = true}),
                                            derivative));

}  // namespace
}  // namespace ascribe::core::op_reciprocal
