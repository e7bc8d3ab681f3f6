// Running sums along an axis: out[k] = x[0] + ... + x[k]; exclusive leaves x[k] out, reverse
// sums from the end.
#include "graph/builder.h"
#include "graph/reduction.h"

namespace ascribe::core::op_cumsum {
namespace {

Type infer(const Signature& s) {
  axis_of(s);
  return infer_same_number(s);
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const AxisView view = along(e.output.shape, e.attributes.integer("axis"));
  const bool exclusive = e.attributes.flag("exclusive"), reverse = e.attributes.flag("reverse");
  visit_number(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(view.outer * view.inner, kGrain / view.size, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const int64_t from = line / view.inner * view.size * view.inner + line % view.inner;
        Accumulator<T> sum = 0;
        for (int64_t step = 0; step < view.size; ++step) {
          const int64_t at = from + (reverse ? view.size - 1 - step : step) * view.inner;
          const auto with = wrapping(std::plus{}, sum, Accumulator<T>{x[at]});
          out[at] = static_cast<T>(exclusive ? sum : with);
          sum = with;
        }
      }
    });
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  Attributes attributes = r.attributes;
  attributes.set("reverse", ints({r.attributes.flag("reverse") ? 0 : 1}));
  return r.b.op("cumsum", {gradient}, attributes);
}

const RegisterOp cumsum({.name = "cumsum",
                         .op_class = OpClass::linear,
                         .traits = {.sign = Sign::kept},
                         .formula = "running sums along an axis",
                         .infer = infer,
                         .apply = apply,
                         .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_cumsum
