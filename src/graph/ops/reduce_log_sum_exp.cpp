// log(sum over axes of exp(x)) = m + log(sum exp(x - m)), m the maximum, so that nothing overflows.
// -infinity if there are no elements.
#include <cmath>
#include <limits>

#include "graph/adjoint.h"
#include "graph/builder.h"
#include "graph/reduction.h"

namespace ascribe::core::op_reduce_log_sum_exp {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::real);
  return infer_reduction(s);
}

void apply(const Evaluation& e) {
  visit_real(e.output.dtype, [&]<class T>(T) {
    apply_reduction<T>(e, [](auto each) {
      double largest = -std::numeric_limits<double>::infinity();
      each([&](double x) { largest = std::max(largest, x); });
      const double shift = std::isinf(largest) ? 0 : largest;
      double sum = 0;
      each([&](double x) { sum += std::exp(x - shift); });
      return static_cast<T>(shift + std::log(sum));
    });
  });
}

Value lower(Builder& b, std::span<const Value> inputs, const Attributes& attributes) {
  const auto axes = attributes.integers("axes");
  const Value x = inputs[0];
  Value result;
  if (reduces_nothing(b.shape(x), axes)) {  // no maximum to shift by
    result = b.op("log", {b.reduce("reduce_sum", b.op("exp", {x}), axes, true)});
  } else {
    const Value largest = b.reduce("reduce_max", x, axes, true);
    const Value infinite = b.op("is_inf", {largest}, {{"positive", ints({1})}, {"negative", ints({1})}});
    const Value shift = b.op("where", {infinite, b.scalar(0), largest});
    const Value sum = b.reduce("reduce_sum", b.op("exp", {b.sub(x, shift)}), axes, true);
    result = b.add(shift, b.op("log", {sum}));
  }
  if (attributes.flag("keepdims")) return result;
  return b.reshape(result, without_axes(b.shape(result), axes));
}

// g exp(x - y).
Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const Dims shape = b.shape(r.inputs[0]);
  const auto axes = r.attributes.integers("axes");
  const Value y = with_axes_kept(b, r.output, shape, axes);
  return b.mul(with_axes_kept(b, gradient, shape, axes), b.op("exp", {b.sub(r.inputs[0], y)}));
}

const RegisterOp reduce_log_sum_exp({.name = "reduce_log_sum_exp",
                                     .op_class = OpClass::composite,
                                     .traits = {.sign = Sign::kept},
                                     .formula = "log(sum over axes of exp(x))",
                                     .infer = infer,
                                     .apply = apply,
                                     .adjoint = adjoint,
                                     .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_reduce_log_sum_exp
