// a - b with broadcasting.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_sub {
namespace {

Value adjoint(const DerivativeRequest& r, Value gradient) {
  return r.operand == 0 ? gradient : r.b.op("neg", {gradient});
}

const RegisterOp sub(with_adjoint(binary_number_op("sub", OpClass::linear, "a - b",
                                                   [](auto a, auto b) { return wrapping(std::minus{}, a, b); }),
                                  adjoint));

}  // namespace
}  // namespace ascribe::core::op_sub
