// condition ? a : b with broadcasting, for any kind of a and b.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_where {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::boolean);
  if (s.inputs[1].kind != s.inputs[2].kind) {
    s.refuse("the operands are of different kinds; got {} and {}", to_string(s.inputs[1]), to_string(s.inputs[2]));
  }
  return {s.inputs[1].kind, broadcast_shape(s)};
}

void apply(const Evaluation& e) {
  const auto strides_for = [&](size_t input) { return broadcast_strides(e.inputs[input].shape, e.output.shape); };
  const std::array strides = {strides_for(0), strides_for(1), strides_for(2)};
  const auto condition = e.inputs[0].data<const uint8_t>();
  visit(e.output.dtype, [&]<class T>(T) {
    const auto a = e.inputs[1].data<const T>();
    const auto b = e.inputs[2].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
      for_each_broadcast(e.output.shape, strides, begin, end, [&](int64_t i, int64_t ic, int64_t ia, int64_t ib) {
        out[i] = condition[ic] != 0 ? a[ia] : b[ib];
      });
    });
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  const Value zero = r.b.scalar(0);
  return r.b.op("where",
                r.operand == 1 ? std::vector{r.inputs[0], gradient, zero} : std::vector{r.inputs[0], zero, gradient});
}

const RegisterOp where({.name = "where",
                        .op_class = OpClass::selection,
                        .traits = {.pointwise = true, .moves = true, .sign = Sign::kept},
                        .formula = "condition ? a : b",
                        .min_inputs = 3,
                        .max_inputs = 3,
                        .infer = infer,
                        .apply = apply,
                        .adjoint = adjoint,
                        .choice = 0});

}  // namespace
}  // namespace ascribe::core::op_where
