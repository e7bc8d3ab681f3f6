// The smaller of a and b with broadcasting. NaN propagates; a tie chooses a.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_minimum {
namespace {

Value lower(Builder& b, std::span<const Value> in, const Attributes&) {
  const Value chosen = b.op("logical_or", {b.op("less_equal", {in[0], in[1]}), b.op("is_nan", {in[0]})});
  return b.op("where", {chosen, in[0], in[1]});
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const Value chosen = b.op("less_equal", {r.inputs[0], r.inputs[1]}), zero = b.scalar(0);
  return r.operand == 0 ? b.op("where", {chosen, gradient, zero}) : b.op("where", {chosen, zero, gradient});
}

const RegisterOp minimum(with_adjoint(with_choice(binary_number_op("minimum", OpClass::selection, "min(a, b)",
                                                                   [](auto a, auto b) {
                                                                     return a <= b || a != a ? a : b;
                                                                   },
                                                                   {.sign = Sign::kept, .commutes = true}),
                                                  lower),
                                      adjoint));

}  // namespace
}  // namespace ascribe::core::op_minimum
