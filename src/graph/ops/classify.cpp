// is_nan(x); is_inf(x) for infinities of the chosen signs.
#include <cmath>

#include "graph/op_support.h"

namespace ascribe::core::op_classify {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::real);
  return {Kind::boolean, s.shape(0)};
}

template <class F>
void classify(const Evaluation& e, F is) {
  visit_real(e.inputs[0].dtype,
             [&]<class T>(T) { apply_unary<T, uint8_t>(e, [&](T x) -> uint8_t { return is(x) ? 1 : 0; }); });
}

void apply_is_nan(const Evaluation& e) {
  classify(e, [](auto x) { return std::isnan(x); });
}

void apply_is_inf(const Evaluation& e) {
  const bool positive = e.attributes.flag("positive"), negative = e.attributes.flag("negative");
  classify(e, [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

const RegisterOp is_nan({.name = "is_nan",
                         .op_class = OpClass::plumbing,
                         .traits = {.pointwise = true},
                         .formula = "x is not a number",
                         .infer = infer,
                         .apply = apply_is_nan});
const RegisterOp is_inf({.name = "is_inf",
                         .op_class = OpClass::plumbing,
                         .traits = {.pointwise = true},
                         .formula = "x is +infinity (positive) or -infinity (negative)",
                         .infer = infer,
                         .apply = apply_is_inf});

}  // namespace
}  // namespace ascribe::core::op_classify
