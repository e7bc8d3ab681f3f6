// x - log of the sum of exp(x) along one axis, shifted by the largest element against overflow.
#include "graph/builder.h"
#include "graph/lanes.h"

namespace ascribe::core::op_log_softmax {
namespace {

void apply(const Evaluation& e) {
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    for_each_lane(e.output.shape, e.attributes.integer("axis"), [&](const Lane& lane) {
      const auto [largest, sum] = exp_sum(x, lane);
      const double log_sum = std::log(sum);
      for (int64_t k = 0; k < lane.count; ++k) {
        const int64_t i = lane.begin + k * lane.stride;
        out[i] = static_cast<T>(x[i] - largest - log_sum);
      }
    });
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  const int64_t axis = attributes.integer("axis");
  const Value shifted = b.sub(in[0], b.reduce("reduce_max", in[0], {axis}, true));
  return b.sub(shifted, b.op("log", {b.reduce("reduce_sum", b.op("exp", {shifted}), {axis}, true)}));
}

// g - exp(y) sum(g).
Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const Value sum = b.reduce("reduce_sum", gradient, {r.attributes.integer("axis")}, true);
  return b.sub(gradient, b.mul(b.op("exp", {r.output}), sum));
}

const RegisterOp log_softmax({.name = "log_softmax",
                              .op_class = OpClass::composite,
                              .formula = "x - log of the sum of exp(x) along the axis",
                              .infer = infer_along_axis,
                              .apply = apply,
                              .adjoint = adjoint,
                              .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_log_softmax
