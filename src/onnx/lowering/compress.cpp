// Compress, NonZero: their shapes depend on values, so those must be known when the model is loaded.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_compress {
namespace {

void lower_compress(NodeContext& c) {
  Builder& b = c.b();
  Value x = c.in(0);
  int64_t axis = 0;
  if (c.has_attribute("axis")) axis = axis_attribute(c, 0, b.rank(x));
  else x = b.reshape(x, {product(b.shape(x))});
  const Tensor condition = c.constant(1, "condition");
  Dims kept;
  for (int64_t i = 0; i < condition.size(); ++i) {
    if (condition.at(i) != 0) kept.push_back(i);
  }
  c.out(0, b.op("gather", {x, b.integers(kept)}, {{"axis", ints({axis})}}));
}

// The indices of the elements that are not zero, [rank, count].
void lower_non_zero(NodeContext& c) {
  const Tensor x = c.constant(0, "the input");
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.at(i) != 0) found.push_back(i);
  }
  const auto strides = strides_of(x.shape());
  const auto count = static_cast<int64_t>(found.size());
  table_size(c, {x.rank(), count});
  std::vector<int64_t> indices;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    for (const int64_t flat : found) indices.push_back(flat / strides[axis] % x.shape()[axis]);
  }
  c.out(0, c.b().constant(Tensor::of<int64_t>({x.rank(), count}, indices)));
}

const RegisterLowering compress({"Compress", 28, "axis"}, lower_compress,
                                "the condition must be known when the model is loaded");
const RegisterLowering non_zero({"NonZero", 13}, lower_non_zero, "the input must be known when the model is loaded");

}  // namespace
}  // namespace ascribe::core::lowering_compress
