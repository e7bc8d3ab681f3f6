// Mean over axes; NaN if there are no elements. Integers: the quotient is truncated.
#include "graph/adjoint.h"
#include "graph/reduction.h"

namespace ascribe::core::op_reduce_mean {
namespace {

Type infer(const Signature& s) {
  return s.inputs[0].kind == Kind::integer ? infer_reduction_filled(s) : infer_reduction(s);
}

void apply(const Evaluation& e) {
  if (e.output.dtype == DType::i64) expect_filled(e, "reduce_mean");
  visit_number(e.output.dtype, [&]<class T>(T) {
    apply_reduction<T>(e, [](auto each) {
      Accumulator<T> sum = 0, count = 0;
      each([&](T x) {
        sum = wrapping(std::plus{}, sum, Accumulator<T>{x});
        ++count;
      });
      return static_cast<T>(sum / count);
    });
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const Dims shape = b.shape(r.inputs[0]);
  const auto axes = r.attributes.integers("axes");
  Dim count = 1;
  for (const int64_t axis : axes) count = count * shape[axis];
  const Value divisor = b.cast(b.integers({count}, {}), Kind::real);
  return b.expand(b.div(with_axes_kept(b, gradient, shape, axes), divisor), shape);
}

const RegisterOp reduce_mean({.name = "reduce_mean",
                              .op_class = OpClass::linear,
                              .traits = {.sign = Sign::kept},
                              .formula = "mean over axes",
                              .infer = infer,
                              .apply = apply,
                              .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_reduce_mean
