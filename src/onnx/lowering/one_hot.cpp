// OneHot: values[1] where the place along the new axis is the index (negative ones count
// from the end), values[0] elsewhere.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_one_hot {
namespace {

void lower(NodeContext& c) {
  Builder& b = c.b();
  const double depth_value = one_real(c, 1, "depth");
  if (!(depth_value >= 1 && depth_value <= static_cast<double>(kLargestTable))) c.refuse("depth is {}", depth_value);
  const auto depth = static_cast<int64_t>(depth_value);
  if (b.shape(c.in(2)) != Dims{2}) c.refuse("values has shape {}; expected [2]", to_string(b.shape(c.in(2))));
  Value indices = b.cast(c.in(0), Kind::integer);
  const int64_t rank = b.rank(indices) + 1, axis = axis_attribute(c, -1, rank);
  const Value negative = b.op("less", {indices, b.integer(0)});
  indices = b.op("where", {negative, b.add(indices, b.integer(depth)), indices});
  const Value hit = b.op("equal", {unsqueeze(b, indices, {axis}), along_axis(b, integer_range(b, depth), axis, rank)});
  const auto choice = [&](int64_t at) { return b.reshape(b.slice(c.in(2), 0, at, 1), {}); };
  c.out(0, b.op("where", {hit, choice(1), choice(0)}));
}

const RegisterLowering one_hot({"OneHot", 28, "axis"}, lower, "depth must be known when the model is loaded");

}  // namespace
}  // namespace ascribe::core::lowering_one_hot
