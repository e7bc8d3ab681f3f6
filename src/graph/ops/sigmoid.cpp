// 1 / (1 + exp(-x)), without overflow for large |x|.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_sigmoid {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value y = r.output;
  return b.mul(y, b.sub(b.scalar(1), y));
}

const RegisterOp sigmoid(with_derivative(unary_real_op("sigmoid", OpClass::elementwise, "1 / (1 + exp(-x))",
                                                       []<class T>(T x) {
                                                         const T e = std::exp(-std::abs(x));
                                                         return x >= 0 ? 1 / (1 + e) : e / (1 + e);
                                                       },
                                                       {.sign = Sign::never_negative, .bounded = true, .rises = true}),
                                         derivative));

}  // namespace
}  // namespace ascribe::core::op_sigmoid
