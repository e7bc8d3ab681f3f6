// MaxUnpool: every value back to the place its index names, zeros elsewhere. Indices count
// over the whole output tensor, as those of MaxPool do.
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_max_unpool {
namespace {

Dims unpooled_shape(const NodeContext& c) {
  Dims shape = c.b().shape(c.in(0));
  const Window window = read_window(c, shape, {});
  const auto sizes = spatial_sizes(c, shape);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t size = (sizes[axis] - 1) * window.strides[axis] + window.extent(axis) - window.pads[axis] -
                         window.pads[axis + window.rank()];
    if (size < 0) c.refuse("the pads exceed the output");
    shape[axis + 2] = size;
  }
  return shape;
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const Dims shape = unpooled_shape(c);
  // Whether the indices count in the larger shape or in ours, exporters and the standard disagree.
  if (c.has(2) && at(c.known_integers(2, "output_shape"), 1) != at(shape, 1)) {
    c.unsupported("output_shape differs from the shape the window gives, {}", to_string(shape));
  }
  const Value zeros = b.expand(b.scalar(0), {product(shape)});
  const Value values = b.reshape(x, {product(b.shape(x))});
  const Value places = b.reshape(c.in(1), {product(b.shape(c.in(1)))});
  const Value flat =
      b.op("scatter_elements", {zeros, places, values}, {{"axis", ints({0})}, {"reduction", std::string("none")}});
  c.out(0, b.reshape(flat, shape));
}

const RegisterLowering max_unpool({"MaxUnpool", 22, "kernel_shape pads strides"}, lower,
                                  "output_shape must be the one the window gives");

}  // namespace
}  // namespace ascribe::core::lowering_max_unpool
