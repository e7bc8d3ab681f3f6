// The same elements in row-major order under another shape.
#include <cstring>

#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_reshape {
namespace {

// Equal products, told without multiplying what both sides share: N * N is not a dimension.
bool same_count(Dims a, Dims b) {
  const auto is_empty = [](const Dims& dims) { return std::find(dims.begin(), dims.end(), Dim(0)) != dims.end(); };
  if (is_empty(a) || is_empty(b)) return is_empty(a) && is_empty(b);
  std::erase_if(a, [&](Dim dim) {
    const auto twin = std::find(b.begin(), b.end(), dim);
    if (twin == b.end()) return false;
    b.erase(twin);
    return true;
  });
  return product(a) == product(b);
}

Type infer(const Signature& s) {
  const Dims& shape = s.attributes.dims("shape");
  for (const Dim dim : shape) {
    if (!at_least(dim, 0)) s.refuse("the new shape has a negative size; got {}", to_string(shape));
  }
  if (!same_count(s.shape(0), shape)) {
    s.refuse("the shapes hold different numbers of elements; got {} and {}", to_string(s.shape(0)), to_string(shape));
  }
  return {s.inputs[0].kind, shape};
}

void apply(const Evaluation& e) {
  require(e.inputs[0].size() == e.output.size(), "reshape", "the number of elements changes");
  if (e.output.size() == 0) return;
  std::memcpy(e.output.memory, e.inputs[0].memory, e.output.size() * size_of(e.output.dtype));
}

Value adjoint(const DerivativeRequest& r, Value gradient) { return r.b.reshape(gradient, r.b.shape(r.inputs[0])); }

const RegisterOp reshape({.name = "reshape",
                          .op_class = OpClass::linear,
                          .traits = {.moves = true, .rearranges = true, .sign = Sign::kept},
                          .formula = "the elements of x in row-major order under another shape",
                          .infer = infer,
                          .apply = apply,
                          .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_reshape
