// out[.., o, ..] = sum over t of weights[o, t] x[.., indices[o, t], ..] along one axis: every mode
// of Resize, one axis at a time. The weights are usually constant.
#include "graph/adjoint.h"
#include "graph/op_support.h"

namespace ascribe::core::op_resample {
namespace {

Type infer(const Signature& s) {
  expect_kind(s, 0, Kind::real);
  expect_kind(s, 1, Kind::integer);
  expect_kind(s, 2, Kind::real);
  const int64_t axis = axis_of(s);
  if (s.rank(1) != 2 || s.shape(1) != s.shape(2)) {
    s.refuse("indices and weights differ; got {} and {}; expected [out, taps] both", to_string(s.shape(1)),
             to_string(s.shape(2)));
  }
  Dims shape = s.shape(0);
  shape[axis] = s.shape(1)[0];
  return {Kind::real, shape};
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const int64_t axis = e.attributes.integer("axis");
  const AxisView from = along(e.inputs[0].shape, axis);
  const int64_t size = e.output.shape[axis], taps = e.inputs[1].shape[1];
  const auto indices = e.inputs[1].data<const int64_t>();
  std::vector<int64_t> rows;
  for (const int64_t index : indices) rows.push_back(checked_index(index, from.size, "resample") * from.inner);
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto weights = e.inputs[2].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain / std::max<int64_t>(taps, 1), [&](int64_t begin, int64_t end) {
      for (int64_t flat = begin; flat < end; ++flat) {
        const int64_t i = flat % from.inner, o = flat / from.inner % size;
        const int64_t base = flat / from.inner / size * from.size * from.inner + i;
        double sum = 0;
        for (int64_t t = o * taps; t < (o + 1) * taps; ++t) sum += double{weights[t]} * double{x[base + rows[t]]};
        out[flat] = static_cast<T>(sum);
      }
    });
  });
}

// The gradient beside each tap: [out, 1, other axes...].
Value beside_taps(const DerivativeRequest& r, Value gradient) {
  const Value front = move_axis(r.b, gradient, r.attributes.integer("axis"), 0);
  Dims shape = r.b.shape(front);
  shape.insert(shape.begin() + 1, 1);
  return r.b.reshape(front, shape);
}

Value adjoint_of_x(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const int64_t axis = r.attributes.integer("axis");
  const Dims shape = b.shape(r.inputs[0]);
  const auto indices = b.known(r.inputs[1]), weights = b.known(r.inputs[2]);
  if (indices && weights && shape[axis].is_fixed()) {
    const Tensor exact = weights->cast(DType::f64);
    return transposed_resample(b, gradient, axis, shape[axis].fixed, indices->data<int64_t>(), exact.data<double>(),
                               indices->shape()[1]);
  }
  Dims tuples = b.shape(r.inputs[1]), spread = b.shape(r.inputs[2]), lines = shape;
  tuples.push_back(1);
  spread.resize(shape.size() + 1, 1);
  lines.erase(lines.begin() + axis);
  lines.insert(lines.begin(), shape[axis]);
  const Value terms = b.mul(beside_taps(r, gradient), b.reshape(r.inputs[2], spread));
  const Value sums =
      b.op("scatter_nd", {zeros(b, lines), b.reshape(r.inputs[1], tuples), terms}, {{"reduction", "add"}});
  return move_axis(b, sums, 0, axis);
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  if (r.operand == 0) return adjoint_of_x(r, gradient);
  Builder& b = r.b;
  const Value lines = move_axis(b, r.inputs[0], r.attributes.integer("axis"), 0);
  const Value taps = b.op("gather", {lines, r.inputs[1]}, {{"axis", ints({0})}});  // [out, taps, other axes...]
  std::vector<int64_t> others;
  for (int64_t axis = 2; axis < b.rank(taps); ++axis) others.push_back(axis);
  return b.reduce("reduce_sum", b.mul(beside_taps(r, gradient), taps), others, false);
}

const RegisterOp resample({.name = "resample",
                           .op_class = OpClass::bilinear,
                           .traits = {.sign = Sign::kept},
                           .formula = "out[o] = sum_t weights[o, t] x[indices[o, t]] along an axis",
                           .min_inputs = 3,
                           .max_inputs = 3,
                           .infer = infer,
                           .apply = apply,
                           .adjoint = adjoint,
                           .factors = {0, 2}});

}  // namespace
}  // namespace ascribe::core::op_resample
