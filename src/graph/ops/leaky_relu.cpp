// x for x > 0, otherwise alpha * x.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_leaky_relu {
namespace {

void apply(const Evaluation& e) {
  const double alpha = e.attributes.real("alpha");
  visit_real(e.output.dtype, [&]<class T>(T) {
    apply_unary<T, T>(e, [slope = static_cast<T>(alpha)](T x) { return x > 0 ? x : slope * x; });
  });
}

Value slope(Builder& b, Value x, const Attributes& attributes) {
  const Value positive = b.op("less", {b.scalar(0), x});
  return b.op("where", {positive, b.scalar(1), b.scalar(attributes.real("alpha"))});
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  return b.mul(in[0], slope(b, in[0], attributes));
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  return r.b.mul(gradient, slope(r.b, r.inputs[0], r.attributes));
}

void more_traits(Traits& traits, const Attributes& attributes) { traits.rises = attributes.real("alpha") >= 0; }

const RegisterOp leaky_relu({.name = "leaky_relu",
                             .op_class = OpClass::selection,
                             .traits = {.pointwise = true, .sign = Sign::kept},
                             .formula = "x > 0 ? x : alpha * x",
                             .infer = infer_same_real,
                             .apply = apply,
                             .adjoint = adjoint,
                             .lower = lower,
                             .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_leaky_relu
