// x repeated along axes of size 1, and along new leading axes.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_expand {
namespace {

Type infer(const Signature& s) {
  const Dims& shape = s.attributes.dims("shape");
  for (const Dim dim : shape) {
    if (!at_least(dim, 0)) s.refuse("the new shape has a negative size; got {}", to_string(shape));
  }
  if (broadcast_shape(s.shape(0), shape, s.where) != shape) {
    s.refuse("the operand does not expand to the new shape; got {} and {}", to_string(s.shape(0)), to_string(shape));
  }
  return {s.inputs[0].kind, shape};
}

void apply(const Evaluation& e) {
  const std::array strides = {broadcast_strides(e.inputs[0].shape, e.output.shape)};
  visit(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
      for_each_broadcast(e.output.shape, strides, begin, end, [&](int64_t i, int64_t from) { out[i] = x[from]; });
    });
  });
}

// The caller sums over what was repeated.
Value adjoint(const DerivativeRequest&, Value gradient) { return gradient; }

const RegisterOp expand({.name = "expand",
                         .op_class = OpClass::linear,
                         .traits = {.moves = true, .sign = Sign::kept},
                         .formula = "x repeated along axes of size 1",
                         .infer = infer,
                         .apply = apply,
                         .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_expand
