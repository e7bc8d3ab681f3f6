// out[o, j, i] = x[o, indices[j], i], the middle being an axis; indices may count from the end.
#include "graph/adjoint.h"
#include "graph/op_support.h"

namespace ascribe::core::op_gather {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 1, Kind::integer);
  const int64_t axis = axis_of(s);
  Dims shape = s.shape(0);
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, s.shape(1).begin(), s.shape(1).end());
  return {s.inputs[0].kind, shape};
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const AxisView view = along(e.inputs[0].shape, e.attributes.integer("axis"));
  const auto indices = e.inputs[1].data<const int64_t>();
  const int64_t count = std::ssize(indices);
  visit(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(view.outer * count, kGrain / view.inner, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t k = checked_index(indices[row % count], view.size, "gather");
        const int64_t from = (row / count * view.size + k) * view.inner;
        std::copy_n(x.begin() + from, view.inner, out.begin() + row * view.inner);
      }
    });
  });
}

// One known index: zeros around the gradient.
Value embed_one(const DerivativeRequest& r, Value gradient, int64_t axis, Dim index) {
  const Dims shape = r.b.shape(r.inputs[0]);
  Dims starts(shape.size(), 0), single = shape;
  starts[axis] = at_least(index, 0) ? index : index + shape[axis];
  single[axis] = 1;
  return embed(r.b, r.b.reshape(gradient, single), starts, shape);
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const int64_t axis = r.attributes.integer("axis"), index_rank = b.rank(r.inputs[1]);
  if (const auto known = b.known_integers(r.inputs[1]); known && known->size() == 1 && known->front().is_fixed()) {
    return embed_one(r, gradient, axis, known->front());
  }
  Dims tuples = b.shape(r.inputs[1]), lines = b.shape(r.inputs[0]);
  tuples.push_back(1);
  lines.insert(lines.begin(), lines[axis]);
  lines.erase(lines.begin() + axis + 1);
  for (int64_t i = 0; i < index_rank; ++i) gradient = move_axis(b, gradient, axis + i, i);
  const Value sums =
      b.op("scatter_nd", {zeros(b, lines), b.reshape(r.inputs[1], tuples), gradient}, {{"reduction", "add"}});
  return move_axis(b, sums, 0, axis);
}

const RegisterOp gather({.name = "gather",
                         .op_class = OpClass::linear,
                         .traits = {.moves = true, .sign = Sign::kept},
                         .formula = "out[o, j, i] = x[o, indices[j], i]",
                         .min_inputs = 2,
                         .max_inputs = 2,
                         .infer = infer,
                         .apply = apply,
                         .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_gather
