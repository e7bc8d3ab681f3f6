// Every x[o] is added at the position of the largest element of window o of the choice (the first of equal
// ones), in the shape of the choice: the gradient of max_pool. The transpose of max_pool_pick.
#include "graph/builder.h"
#include "graph/op_support.h"
#include "graph/window.h"

namespace ascribe::core::op_max_pool_scatter {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::real);
  expect_kind(s, 1, Kind::real);
  const std::array choice = {s.inputs[1]};
  const Type pooled = infer_pool({s.where, choice, s.attributes});
  if (pooled.shape != s.shape(0)) {
    s.refuse("x does not fit the windows of the choice; got {}; expected {}", to_string(s.shape(0)),
             to_string(pooled.shape));
  }
  return s.inputs[1];
}

// Windows overlap within a plane only, so planes run in parallel.
void apply(const Evaluation& e) {
  const Window window = pool_window(e.attributes, e.output.shape, "max_pool_scatter");
  const Shape outputs = output_extents(window);
  const int64_t plane_size = element_count(std::span(e.output.shape).subspan(2));
  const int64_t planes = e.output.shape[0] * e.output.shape[1], windows = element_count(outputs);
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto choice = e.inputs[1].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(planes, kGrain / std::max<int64_t>(plane_size, 1), [&](int64_t begin, int64_t end) {
      Shape position(outputs.size());
      for (int64_t plane = begin; plane < end; ++plane) {
        const T* own = choice.data() + plane * plane_size;
        T* to = out.data() + plane * plane_size;
        std::fill_n(to, plane_size, T{0});
        for (int64_t o = 0; o < windows; ++o) {
          int64_t rest = o;
          for (size_t axis = outputs.size(); axis-- > 0; rest /= outputs[axis]) position[axis] = rest % outputs[axis];
          to[largest_in_window(window, position, own)] += x[plane * windows + o];
        }
      }
    });
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  return r.b.op("max_pool_pick", {gradient, r.inputs[1]}, r.attributes);
}

const RegisterOp max_pool_scatter({.name = "max_pool_scatter",
                                   .op_class = OpClass::selection,
                                   .traits = {.sign = Sign::kept},
                                   .formula = "x added where the choice is largest in each window",
                                   .min_inputs = 2,
                                   .max_inputs = 2,
                                   .infer = infer,
                                   .apply = apply,
                                   .adjoint = adjoint,
                                   .choice = 1});

}  // namespace
}  // namespace ascribe::core::op_max_pool_scatter
