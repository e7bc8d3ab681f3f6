// The largest element of each window; padding never wins, NaN does.
#include "graph/builder.h"
#include "graph/op_support.h"
#include "graph/window.h"

namespace ascribe::core::op_max_pool {
namespace {

Type infer(const Signature& s) {
  infer_same_number(s);
  return infer_pool(s);
}

void apply(const Evaluation& e) {
  const Window window = pool_window(e.attributes, e.inputs[0].shape, "max_pool");
  const int64_t plane_size = element_count(std::span(e.inputs[0].shape).subspan(2));
  const int64_t planes = e.inputs[0].shape[0] * e.inputs[0].shape[1];
  visit_number(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    for_each_window(window, planes, [&](int64_t i, int64_t plane, std::span<const int64_t> position) {
      const T* own = &x[plane * plane_size];
      out[i] = own[largest_in_window(window, position, own)];
    });
  });
}

Value lower(Builder& b, std::span<const Value> in, const Attributes& attributes) {
  return b.op("max_pool_pick", {in[0], in[0]}, attributes);
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  return r.b.op("max_pool_scatter", {gradient, r.inputs[0]}, r.attributes);
}

const RegisterOp max_pool({.name = "max_pool",
                           .op_class = OpClass::selection,
                           .traits = {.windowed = true, .sign = Sign::kept},
                           .formula = "the largest element of each window",
                           .infer = infer,
                           .apply = apply,
                           .adjoint = adjoint,
                           .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_max_pool
