// Product over axes; 1 if there are no elements.
#include "graph/builder.h"
#include "graph/reduction.h"

namespace ascribe::core::op_reduce_prod {
namespace {

Value product_along(Builder& b, Value x, int64_t axis) {
  const Dim extent = b.shape(x)[axis];
  if (!extent.is_fixed()) {
    fail(ErrorKind::unsupported, b.where(), "a product over an axis that grows with the batch has no lowering; got {}",
         to_string(b.shape(x)));
  }
  if (extent == Dim(0)) {
    Dims shape = b.shape(x);
    shape[axis] = 1;
    return b.expand(b.kind(x) == Kind::real ? b.scalar(1) : b.integer(1), shape);
  }
  for (int64_t size = extent.fixed; size > 1; size -= size / 2) {
    const int64_t half = size / 2;
    const Value pairs = b.mul(b.slice(x, axis, 0, half), b.slice(x, axis, half, half));
    x = size % 2 == 0 ? pairs : b.concat({pairs, b.slice(x, axis, size - 1, 1)}, axis);
  }
  return x;
}

// Halves each axis by products until one element is left.
Value lower(Builder& b, std::span<const Value> inputs, const Attributes& attributes) {
  const auto axes = attributes.integers("axes");
  Value x = inputs[0];
  for (const int64_t axis : axes) x = product_along(b, x, axis);
  if (attributes.flag("keepdims")) return x;
  return b.reshape(x, without_axes(b.shape(x), axes));
}

void apply(const Evaluation& e) {
  visit_number(e.output.dtype, [&]<class T>(T) {
    apply_reduction<T>(e, [](auto each) {
      Accumulator<T> product = 1;
      each([&](T x) { product = wrapping(std::multiplies{}, product, Accumulator<T>{x}); });
      return static_cast<T>(product);
    });
  });
}

const RegisterOp reduce_prod({.name = "reduce_prod",
                              .op_class = OpClass::composite,
                              .traits = {.sign = Sign::kept},
                              .formula = "product over axes",
                              .infer = infer_reduction,
                              .apply = apply,
                              .lower = lower});

}  // namespace
}  // namespace ascribe::core::op_reduce_prod
