// out[o] = x[i], i the position of the largest element of window o of the choice (the first of equal
// ones): max_pool with its choice made by another value of the same shape.
// The transpose of max_pool_scatter.
#include "graph/builder.h"
#include "graph/op_support.h"
#include "graph/window.h"

namespace ascribe::core::op_max_pool_pick {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::real);
  expect_kind(s, 1, Kind::real);
  if (s.shape(0) != s.shape(1)) {
    s.refuse("x and the choice differ in shape; got {} and {}", to_string(s.shape(0)), to_string(s.shape(1)));
  }
  return infer_pool(s);
}

void apply(const Evaluation& e) {
  const Window window = pool_window(e.attributes, e.inputs[0].shape, "max_pool_pick");
  const int64_t plane_size = element_count(std::span(e.inputs[0].shape).subspan(2));
  const int64_t planes = e.inputs[0].shape[0] * e.inputs[0].shape[1];
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto choice = e.inputs[1].data<const T>();
    const auto out = e.output.data<T>();
    for_each_window(window, planes, [&](int64_t i, int64_t plane, std::span<const int64_t> position) {
      out[i] = x[plane * plane_size + largest_in_window(window, position, &choice[plane * plane_size])];
    });
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  return r.b.op("max_pool_scatter", {gradient, r.inputs[1]}, r.attributes);
}

const RegisterOp max_pool_pick({.name = "max_pool_pick",
                                .op_class = OpClass::selection,
                                .traits = {.windowed = true, .sign = Sign::kept},
                                .formula = "x where the choice is largest in each window",
                                .min_inputs = 2,
                                .max_inputs = 2,
                                .infer = infer,
                                .apply = apply,
                                .adjoint = adjoint,
                                .choice = 1});

}  // namespace
}  // namespace ascribe::core::op_max_pool_pick
