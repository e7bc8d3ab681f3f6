// x with out[i_0, .., indices[i], ..] = updates[i] along an axis, or combined by the reduction.
// Linear for the reductions none and add only.
#include "graph/scatter.h"

namespace ascribe {
namespace {

Type infer(const Signature& s) {
  expect_scatter(s);
  expect_elements_fit(s, axis_of(s));
  if (s.shape(1) != s.shape(2)) {
    s.refuse("indices and updates differ in shape; got {} and {}", to_string(s.shape(1)), to_string(s.shape(2)));
  }
  return s.inputs[0];
}

// Updates that differ in another coordinate never meet, so the lines along the axis run in parallel.
void apply(const Evaluation& e) {
  copy_operand(e);
  if (e.inputs[1].size() == 0) return;
  const int64_t axis = e.attributes.integer("axis");
  const int64_t size = e.output.shape[axis], updates_per_line = e.inputs[1].shape[axis];
  const ScatterRule rule = scatter_rule(e.attributes);
  Shape lines = e.inputs[1].shape;
  lines[axis] = 1;
  std::array strides = {strides_of(e.output.shape), strides_of(e.inputs[1].shape)};
  const int64_t step = strides[0][axis], update_step = strides[1][axis];
  const auto indices = e.inputs[1].data<const int64_t>();
  visit(e.output.dtype, [&]<class T>(T) {
    const auto updates = e.inputs[2].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(element_count(lines), kGrain / updates_per_line, [&](int64_t begin, int64_t end) {
      for_each_broadcast(lines, strides, begin, end, [&](int64_t, int64_t to, int64_t from) {
        for (int64_t k = 0; k < updates_per_line; ++k) {
          const int64_t u = from + k * update_step;
          T& target = out[to + checked_index(indices[u], size, "scatter_elements") * step];
          target = combine(rule, target, updates[u]);
        }
      });
    });
  });
}

const RegisterOp scatter_elements({.name = "scatter_elements",
                                   .op_class = OpClass::linear,
                                   .formula = "x with out[i, indices[i, k, j], j] = updates[i, k, j]",
                                   .min_inputs = 3,
                                   .max_inputs = 3,
                                   .infer = infer,
                                   .apply = apply});

}  // namespace
}  // namespace ascribe
