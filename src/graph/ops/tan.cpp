// Tangent, in radians.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_tan {
namespace {

Value derivative(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Value y = r.output;
  return b.add(b.mul(y, y), 1);
}

const RegisterOp tan_op(with_derivative(unary_real_op("tan", OpClass::elementwise, "tan(x)",
                                                      []<class T>(T x) { return std::tan(x); }),
                                        derivative));

}  // namespace
}  // namespace ascribe::core::op_tan
