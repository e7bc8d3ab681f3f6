// exp(x) / sum of exp(x) along one axis, shifted by the largest element against overflow.
#include "graph/builder.h"
#include "graph/lanes.h"

namespace ascribe::core::op_softmax {
namespace {

void apply(const Evaluation& e) {
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    for_each_lane(e.output.shape, e.attributes.integer("axis"), [&](const Lane& lane) {
      const auto [largest, sum] = exp_sum(x, lane);
      for (int64_t k = 0; k < lane.count; ++k) {
        const int64_t i = lane.begin + k * lane.stride;
        out[i] = static_cast<T>(std::exp(x[i] - largest) / sum);
      }
    });
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  const int64_t axis = attributes.integer("axis");
  const Value powers = b.op("exp", {b.sub(in[0], b.reduce("reduce_max", in[0], {axis}, true))});
  return b.div(powers, b.reduce("reduce_sum", powers, {axis}, true));
}

// y (g - sum(g y)).
Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const Value sum = b.reduce("reduce_sum", b.mul(gradient, r.output), {r.attributes.integer("axis")}, true);
  return b.mul(r.output, b.sub(gradient, sum));
}

const RegisterOp softmax({.name = "softmax",
                          .op_class = OpClass::composite,
                          .traits = {.sign = Sign::never_negative, .bounded = true},
                          .formula = "exp(x) / sum of exp(x) along the axis",
                          .infer = infer_along_axis,
                          .apply = apply,
                          .adjoint = adjoint,
                          .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_softmax
