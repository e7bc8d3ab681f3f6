// x with out[i_0, .., indices[i], ..] = updates[i] along an axis, or combined by the reduction.
// Linear for the reductions none and add only.
#include "graph/adjoint.h"
#include "graph/scatter.h"

namespace ascribe::core::op_scatter_elements {
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

// What lies where the updates went.
Value picked(const DerivativeRequest& r, Value x) {
  return r.b.op("gather_elements", {x, r.inputs[1]}, {{"axis", ints({r.attributes.integer("axis")})}});
}

// Which updates stay, for reduction none: each leaves its number, the last of them is found again.
Value stays(const DerivativeRequest& r) {
  Builder& b = r.b;
  const Dims shape = b.shape(r.inputs[0]);
  const Value own = numbers(b, b.shape(r.inputs[2]));
  const Value last = b.op("scatter_elements", {b.expand(b.integer(0), shape), r.inputs[1], own}, r.attributes);
  return b.op("equal", {picked(r, last), own});
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const bool replaces = scatter_rule(r.attributes) == ScatterRule::none;
  if (r.operand == 2) {
    const Value mine = picked(r, gradient);
    return replaces ? b.op("where", {stays(r), mine, b.scalar(0)}) : mine;
  }
  if (!replaces) return gradient;
  return b.op("scatter_elements", {gradient, r.inputs[1], zeros(b, b.shape(r.inputs[2]))}, r.attributes);
}

void more_traits(Traits& traits, const Attributes& attributes) {
  traits.moves = scatter_rule(attributes) == ScatterRule::none;
}

const RegisterOp scatter_elements({.name = "scatter_elements",
                                   .op_class = OpClass::linear,
                                   .traits = {.sign = Sign::kept},
                                   .formula = "x with out[i, indices[i, k, j], j] = updates[i, k, j]",
                                   .min_inputs = 3,
                                   .max_inputs = 3,
                                   .infer = infer,
                                   .apply = apply,
                                   .adjoint = adjoint,
                                   .refusal = scatter_refusal,
                                   .more_traits = more_traits});

}  // namespace
}  // namespace ascribe::core::op_scatter_elements
