// out[i_0, .., i_axis, ..] = x[i_0, .., indices[i_0, .., i_axis, ..], ..]: each output element
// names its own source along the axis; indices may count from the end.
#include <utility>

#include "graph/adjoint.h"
#include "graph/op_support.h"

namespace ascribe::core::op_gather_elements {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 1, Kind::integer);
  expect_elements_fit(s, axis_of(s));
  return {s.inputs[0].kind, s.shape(1)};
}

void apply(const Evaluation& e) {
  const int64_t axis = e.attributes.integer("axis");
  const int64_t size = e.inputs[0].shape[axis];
  std::array strides = {strides_of(e.inputs[0].shape)};
  const int64_t step = std::exchange(strides[0][axis], 0);
  const auto indices = e.inputs[1].data<const int64_t>();
  visit(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
      for_each_broadcast(e.output.shape, strides, begin, end, [&](int64_t i, int64_t from) {
        out[i] = x[from + checked_index(indices[i], size, "gather_elements") * step];
      });
    });
  });
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  return r.b.op("scatter_elements", {zeros(r.b, r.b.shape(r.inputs[0])), r.inputs[1], gradient},
                {{"axis", ints({r.attributes.integer("axis")})}, {"reduction", "add"}});
}

const RegisterOp gather_elements({.name = "gather_elements",
                                  .op_class = OpClass::linear,
                                  .traits = {.moves = true, .sign = Sign::kept},
                                  .formula = "out[i, k, j] = x[i, indices[i, k, j], j]",
                                  .min_inputs = 2,
                                  .max_inputs = 2,
                                  .infer = infer,
                                  .apply = apply,
                                  .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_gather_elements
