#include "onnx/lowering/heads.h"

namespace ascribe::core {

Value split_heads(const NodeContext& c, Value x, int64_t heads) {
  Builder& b = c.b();
  const Dims shape = b.shape(x);
  if (heads < 1) c.refuse("the number of heads is {}", heads);
  if (shape.size() != 3) c.refuse("an operand of attention has shape {}; expected rank 3", to_string(shape));
  const Dim size = divide(shape[2], heads, c.where());
  return b.transpose(b.reshape(x, {shape[0], shape[1], heads, size}), {0, 2, 1, 3});
}

Value merge_heads(Builder& b, Value x) {
  const Dims shape = b.shape(x);
  return b.reshape(b.transpose(x, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

}  // namespace ascribe::core
