// out[i_0, ...] = x[starts_0 + i_0 steps_0, ...]; steps may be negative.
#include "graph/adjoint.h"
#include "graph/op_support.h"

namespace ascribe::core::op_slice {
namespace {

void check_axis(const Signature& s, int64_t axis, Dim start, Dim size, Dim step) {
  const Dim extent = s.shape(0)[axis];
  if (!step.is_fixed() || step == Dim(0)) s.refuse("a step is 0 or depends on the batch; got {}", to_string(step));
  if (!at_least(size, 0)) s.refuse("a slice has a negative size; got {}", to_string(size));
  if (size == Dim(0)) return;
  const Dim last = start + (size - 1) * step;
  const Dim low = step.fixed > 0 ? start : last;
  const Dim high = step.fixed > 0 ? last : start;
  if (!at_least(low, 0) || !at_least(extent, high + 1)) {
    s.refuse("a slice leaves axis {}; got {} elements from {} by {} in shape {}", axis, to_string(size),
             to_string(start), to_string(step), to_string(s.shape(0)));
  }
}

Type infer(const Signature& s) {
  const Dims &starts = s.attributes.dims("starts"), &sizes = s.attributes.dims("sizes"),
             &steps = s.attributes.dims("steps");
  const size_t rank = s.shape(0).size();
  if (starts.size() != rank || sizes.size() != rank || steps.size() != rank) {
    s.refuse("starts, sizes and steps need an entry per axis; got {}, {} and {} for shape {}", starts.size(),
             sizes.size(), steps.size(), to_string(s.shape(0)));
  }
  for (size_t axis = 0; axis < rank; ++axis) check_axis(s, axis, starts[axis], sizes[axis], steps[axis]);
  return {s.inputs[0].kind, sizes};
}

void apply(const Evaluation& e) {
  if (e.output.size() == 0) return;
  const auto starts = e.attributes.integers("starts"), steps = e.attributes.integers("steps");
  const auto own = strides_of(e.inputs[0].shape);
  std::array<std::vector<int64_t>, 1> strides;
  int64_t origin = 0;
  for (size_t axis = 0; axis < own.size(); ++axis) {
    const int64_t extent = e.inputs[0].shape[axis];
    const int64_t last = starts[axis] + (e.output.shape[axis] - 1) * steps[axis];
    require(std::min(starts[axis], last) >= 0 && std::max(starts[axis], last) < extent, "slice", "leaves the operand");
    strides[0].push_back(own[axis] * steps[axis]);
    origin += own[axis] * starts[axis];
  }
  visit(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    parallel_for(e.output.size(), kGrain, [&](int64_t begin, int64_t end) {
      for_each_broadcast(e.output.shape, strides, begin, end,
                         [&](int64_t i, int64_t from) { out[i] = x[origin + from]; });
    });
  });
}

// Undoes the step along one axis: reverses, and puts zeros between the elements. Returns the
// place of the first one, and leaves no more elements than fit behind it.
Dim unstep(Builder& b, Value& gradient, int64_t axis, Dim start, int64_t step, Dim extent) {
  const Dim size = b.shape(gradient)[axis];
  if (size == Dim(0)) return 0;
  if (step < 0) {
    gradient = b.slice(gradient, axis, size - 1, size, -1);
    start = start + (size - 1) * step;
    step = -step;
  }
  if (step == 1) return start;
  const Dims shape = b.shape(gradient);
  Dims single = shape, spread = shape, merged = shape;
  single.insert(single.begin() + axis + 1, 1);
  spread.insert(spread.begin() + axis + 1, step);
  merged[axis] = size * step;
  gradient = b.reshape(embed(b, b.reshape(gradient, single), Dims(single.size(), 0), spread), merged);
  const Dim room = extent - start;
  if (!at_least(room, merged[axis])) gradient = b.slice(gradient, axis, 0, room);
  return start;
}

Value adjoint(const DerivativeRequest& r, Value gradient) {
  const Dims shape = r.b.shape(r.inputs[0]);
  const auto steps = r.attributes.integers("steps");
  Dims starts = r.attributes.dims("starts");
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    starts[axis] = unstep(r.b, gradient, static_cast<int64_t>(axis), starts[axis], steps[axis], shape[axis]);
  }
  return embed(r.b, gradient, starts, shape);
}

const RegisterOp slice({.name = "slice",
                        .op_class = OpClass::linear,
                        .traits = {.moves = true, .sign = Sign::kept},
                        .formula = "out[i] = x[starts + i * steps]",
                        .infer = infer,
                        .apply = apply,
                        .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_slice
