// Pieces that the adjoints of several operations are made of.
#pragma once

#include "graph/builder.h"

namespace ascribe::core {

// Shapes are taken by value where nodes are appended before they are read: those of the graph move then.
Value zeros(Builder& b, Dims shape);
// The place of every element along the axis, as integers, for shapes that may grow with the batch.
Value coordinates(Builder& b, Dims shape, int64_t axis);
// The number of every element in row-major order.
Value numbers(Builder& b, Dims shape);

// x with one axis moved elsewhere, the order of the others kept.
Value move_axis(Builder& b, Value x, int64_t from, int64_t to);
// x with zeros around it, so that it becomes `shape` and starts at `starts` in it.
Value embed(Builder& b, Value x, const Dims& starts, const Dims& shape);

// What a reduction over axes of x left, in the shape of x with those axes of size 1.
Value with_axes_kept(Builder& b, Value reduced, const Dims& x, std::span<const int64_t> axes);

// The transpose of a resample along an axis of this extent, whose table is constant: it adds
// weights[o, t] gradient[o] at indices[o, t], `taps` of them for each o.
Value transposed_resample(Builder& b, Value gradient, int64_t axis, int64_t extent, std::span<const int64_t> indices,
                          std::span<const double> weights, int64_t taps);

}  // namespace ascribe::core
