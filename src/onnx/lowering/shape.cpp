// Shape and Size: integers that may grow with the batch.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_shape {
namespace {

void lower_shape(NodeContext& c) {
  const Dims& shape = c.b().shape(c.in(0));
  const auto rank = static_cast<int64_t>(shape.size());
  const auto position = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t start = position(c.integer("start", 0)), end = position(c.integer("end", rank));
  c.out(0, c.b().integers(end > start ? Dims(shape.begin() + start, shape.begin() + end) : Dims{}));
}

void lower_size(NodeContext& c) { c.out(0, c.b().integers({product(c.b().shape(c.in(0)))}, {})); }

const RegisterLowering shape({"Shape", 25, "end:15 start:15"}, lower_shape);
const RegisterLowering size({"Size", 25}, lower_size);

}  // namespace
}  // namespace ascribe::core::lowering_shape
