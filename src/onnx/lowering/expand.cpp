// Expand, Tile, ConstantOfShape: values repeated. Repetition may grow with the batch.
#include "onnx/batch.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_expand {
namespace {

void check_sizes(const NodeContext& c, const Dims& sizes, std::string_view what) {
  for (const Dim size : sizes) {
    if (size.at(1) < 0 || size.at(2) < 0) c.refuse("{} is negative; got {}", what, to_string(size));
  }
}

void lower_expand(NodeContext& c) {
  Builder& b = c.b();
  const Dims target = c.known_integers(1, "the target shape");
  check_sizes(c, target, "a target size");
  c.out(0, b.expand(c.in(0), expand_target(b.shape(c.in(0)), target, c.batch_was_fixed(), c.where())));
}

// [d] r times is [1, d] expanded to [r, d] and made [r d].
void lower_tile(NodeContext& c) {
  Builder& b = c.b();
  const Dims shape = b.shape(c.in(0)), repeats = c.known_integers(1, "repeats");
  if (repeats.size() != shape.size()) c.refuse("repeats has {} entries; expected {}", repeats.size(), shape.size());
  check_sizes(c, repeats, "a repetition");
  Dims split, repeated, merged;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (repeats[axis] != Dim(1)) {
      split.push_back(1);
      repeated.push_back(repeats[axis]);
    }
    split.push_back(shape[axis]);
    repeated.push_back(shape[axis]);
    merged.push_back(shape[axis] * repeats[axis]);
  }
  c.out(0, merged == shape ? c.in(0) : b.reshape(b.expand(b.reshape(c.in(0), split), repeated), merged));
}

void lower_constant_of_shape(NodeContext& c) {
  Builder& b = c.b();
  const Dims shape = c.known_integers(0, "the shape");
  check_sizes(c, shape, "a size");
  Value value = b.scalar(0);
  if (c.has_attribute("value")) {
    const Tensor tensor = c.tensor("value");
    if (tensor.size() != 1) c.refuse("value has {} elements; expected 1", tensor.size());
    value = b.constant(tensor.reshaped({}));
  }
  c.out(0, b.expand(value, shape));
}

const RegisterLowering expand({"Expand", 13}, lower_expand);
const RegisterLowering tile({"Tile", 13}, lower_tile);
const RegisterLowering constant_of_shape({"ConstantOfShape", 25, "value"}, lower_constant_of_shape);

}  // namespace
}  // namespace ascribe::core::lowering_expand
