// Sum over axes; 0 if there are no elements.
#include "graph/adjoint.h"
#include "graph/reduction.h"

namespace ascribe::core::op_reduce_sum {
namespace {

void apply(const Evaluation& e) {
  visit_number(e.output.dtype, [&]<class T>(T) {
    apply_reduction<T>(e, [](auto each) {
      Accumulator<T> sum = 0;
      each([&](T x) { sum = wrapping(std::plus{}, sum, Accumulator<T>{x}); });
      return static_cast<T>(sum);
    });
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  const Dims shape = r.b.shape(r.inputs[0]);
  return r.b.expand(with_axes_kept(r.b, gradient, shape, r.attributes.integers("axes")), shape);
}

const RegisterOp reduce_sum({.name = "reduce_sum",
                             .op_class = OpClass::linear,
                             .traits = {.sign = Sign::kept},
                             .formula = "sum over axes",
                             .infer = infer_reduction,
                             .apply = apply,
                             .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_reduce_sum
