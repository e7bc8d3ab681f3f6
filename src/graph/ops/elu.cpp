// x for x > 0, otherwise alpha * (exp(x) - 1).
#include <cmath>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_elu {
namespace {

void apply(const Evaluation& e) {
  const double alpha = e.attributes.real("alpha");
  visit_real(e.output.dtype, [&]<class T>(T) {
    apply_unary<T, T>(e, [scale = static_cast<T>(alpha)](T x) { return x > 0 ? x : scale * std::expm1(x); });
  });
}

// One of the two summands is always 0; the minimum keeps exp from overflowing.
Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  const Value negative = b.op("minimum", {in[0], b.scalar(0)});
  const Value curve = b.mul(b.add(b.op("exp", {negative}), -1), attributes.real("alpha"));
  return b.add(b.op("relu", {in[0]}), curve);
}

void more_traits(Traits& traits, const Attributes& attributes) { traits.rises = attributes.real("alpha") >= 0; }

const RegisterOp elu({.name = "elu",
                      .op_class = OpClass::composite,
                      .traits = {.pointwise = true, .sign = Sign::kept},
                      .formula = "x > 0 ? x : alpha * (exp(x) - 1)",
                      .infer = infer_same_real,
                      .apply = apply,
                      .lower = lower,
                      .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_elu
