// out[i_0, i_1, ...] = x with its axes in the order `perm`.
#include "graph/builder.h"
#include "graph/op_support.h"

namespace ascribe::core::op_transpose {
namespace {

Type infer(const Signature& s) {
  const auto perm = s.attributes.integers("perm");
  if (static_cast<int64_t>(perm.size()) != s.rank(0)) {
    s.refuse("perm has {} entries; expected {}", perm.size(), s.rank(0));
  }
  std::vector<bool> seen(perm.size(), false);
  Dims shape;
  for (const int64_t axis : perm) {
    if (axis < 0 || axis >= s.rank(0) || seen[static_cast<size_t>(axis)])
      s.refuse("perm is not a permutation of the axes");
    seen[static_cast<size_t>(axis)] = true;
    shape.push_back(s.shape(0)[static_cast<size_t>(axis)]);
  }
  return {s.inputs[0].kind, shape};
}

void apply(const Evaluation& e) {
  const auto perm = e.attributes.integers("perm");
  const auto own = strides_of(e.inputs[0].shape);
  std::array<std::vector<int64_t>, 1> strides;
  for (const int64_t axis : perm) strides[0].push_back(own[static_cast<size_t>(axis)]);
  visit(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
      for_each_broadcast(e.output.shape, strides, begin, end,
                         [&](int64_t i, int64_t from) { out[static_cast<size_t>(i)] = x[static_cast<size_t>(from)]; });
    });
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  const auto perm = r.attributes.integers("perm");
  std::vector<int64_t> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) inverse[perm[i]] = static_cast<int64_t>(i);
  return r.b.transpose(gradient, inverse);
}

const RegisterOp transpose({.name = "transpose",
                            .op_class = OpClass::linear,
                            .traits = {.moves = true, .rearranges = true, .sign = Sign::kept},
                            .formula = "x with its axes in the order perm",
                            .infer = infer,
                            .apply = apply,
                            .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_transpose
