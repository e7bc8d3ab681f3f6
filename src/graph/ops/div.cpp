// a / b with broadcasting. Integers truncate toward zero, and dividing them by zero is refused.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_div {
namespace {

template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) fail(ErrorKind::model, "div", "an integer is divided by zero; got {} / 0", a);
    if (b == -1) return wrapping(std::minus{}, T{0}, a);  // the smallest integer has no opposite
  }
  return a / b;
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  const Value share = r.b.div(gradient, r.inputs[1]);
  return r.operand == 0 ? share : r.b.op("neg", {r.b.mul(share, r.output)});
}

const RegisterOp div_op(with_adjoint(binary_number_op("div", OpClass::bilinear, "a / b",
                                                      [](auto a, auto b) { return quotient(a, b); },
                                                      {.sign = Sign::kept}),
                                     adjoint));

}  // namespace
}  // namespace ascribe::core::op_div
