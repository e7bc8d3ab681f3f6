// Operands one after the other along an axis.
#include <cstring>
#include <limits>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_concat {
namespace {

Type infer(const Signature& s) {
  const int64_t axis = axis_of(s);
  Type result = s.inputs[0];
  for (size_t i = 1; i < s.inputs.size(); ++i) {
    Dims expected = s.shape(0);
    if (s.rank(i) == s.rank(0)) expected[axis] = s.shape(i)[axis];
    if (s.inputs[i].kind != result.kind || s.shape(i) != expected) {
      s.refuse("the operands do not fit along axis {}; got {} and {}", axis, to_string(s.inputs[0]),
               to_string(s.inputs[i]));
    }
    result.shape[axis] = result.shape[axis] + s.shape(i)[axis];
  }
  return result;
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const int64_t axis = e.attributes.integer("axis");
  const AxisView whole = along(e.output.shape, axis);
  const int64_t element = size_of(e.output.dtype);
  const int64_t row = whole.size * whole.inner * element;
  auto* const out = static_cast<std::byte*>(e.output.memory);
  parallel_for(whole.outer, kGrain * element / row, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      int64_t at = o * row;
      for (const TensorRef& input : e.inputs) {
        const int64_t bytes = input.shape[axis] * whole.inner * element;
        if (bytes > 0) std::memcpy(out + at, static_cast<const std::byte*>(input.memory) + o * bytes, bytes);
        at += bytes;
      }
    }
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  const int64_t axis = r.attributes.integer("axis");
  Dim start = 0;
  for (size_t i = 0; i < r.operand; ++i) start = start + r.b.shape(r.inputs[i])[axis];
  return r.b.slice(gradient, axis, start, r.b.shape(r.inputs[r.operand])[axis]);
}

const RegisterOp concat({.name = "concat",
                         .op_class = OpClass::linear,
                         .traits = {.moves = true, .rearranges = true, .sign = Sign::kept},
                         .formula = "the operands one after the other along an axis",
                         .max_inputs = std::numeric_limits<int>::max(),
                         .infer = infer,
                         .apply = apply,
                         .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_concat
