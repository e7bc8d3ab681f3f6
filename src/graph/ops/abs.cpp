// |x|, for reals and integers; the smallest integer wraps around to itself.
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_abs {
namespace {

// x sign(x): derivative 0 at 0.
Value lower(Builder& b, std::span<const Value> in, const Attributes&) { return b.mul(in[0], b.op("sign", {in[0]})); }

Value adjoint(const DerivativeRequest& r, Value gradient) { return r.b.mul(gradient, r.b.op("sign", {r.inputs[0]})); }

const RegisterOp abs_op(with_adjoint(with_choice(unary_number_op("abs", OpClass::selection, "|x|",
                                                                 []<class T>(T x) {
                                                                   if constexpr (std::is_integral_v<T>)
                                                                     return x < 0 ? wrapping(std::minus{}, T{0}, x) : x;
                                                                   else return std::abs(x);
                                                                 },
                                                                 {.sign = Sign::never_negative}),
                                                 lower),
                                     adjoint));

}  // namespace
}  // namespace ascribe::core::op_abs
