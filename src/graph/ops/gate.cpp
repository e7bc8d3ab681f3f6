// 0 where the choice is 0 or less, otherwise x: relu with its choice made by another value. The gradient of
// relu, and of itself. The choice broadcasts to x and carries no derivative; where it is NaN, x passes.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_gate {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::real);
  expect_kind(s, 1, Kind::real);
  if (broadcast_shape(s) != s.shape(0)) {
    s.refuse("the choice does not broadcast to x; got {} and {}", to_string(s.shape(0)), to_string(s.shape(1)));
  }
  return s.inputs[0];
}

void apply(const Evaluation& e) {
  visit_real(e.output.dtype,
             [&]<class T>(T) { apply_binary<T, T>(e, [](T x, T choice) { return choice <= 0 ? T{0} : x; }); });
}

Value adjoint(const DerivativeRequest& r, Value gradient) { return r.b.op("gate", {gradient, r.inputs[1]}); }

const RegisterOp gate({.name = "gate",
                       .op_class = OpClass::selection,
                       .traits = {.pointwise = true, .sign = Sign::kept},
                       .formula = "choice <= 0 ? 0 : x",
                       .min_inputs = 2,
                       .max_inputs = 2,
                       .infer = infer,
                       .apply = apply,
                       .adjoint = adjoint,
                       .choice = 1});

}  // namespace
}  // namespace ascribe::core::op_gate
