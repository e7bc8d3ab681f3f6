// ArgMax, ArgMin, TopK.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_arg_max {
namespace {

template <Literal Name>
void lower_arg(NodeContext& c) {
  Builder& b = c.b();
  const int64_t keepdims = c.integer("keepdims", 1) != 0, last = c.integer("select_last_index", 0) != 0;
  const int64_t axis = axis_attribute(c, 0, b.rank(c.in(0)));
  c.out(0, b.op(Name.text, {c.in(0)},
                {{"axis", ints({axis})}, {"keepdims", ints({keepdims})}, {"select_last", ints({last})}}));
}

Dim top_count(const NodeContext& c) {
  if (c.opset() < 10) return c.integer("k");
  const Dims k = c.known_integers(1, "k");
  if (k.size() != 1) c.refuse("k has {} elements; expected 1", k.size());
  return k[0];
}

void lower_top_k(NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const int64_t axis = axis_attribute(c, -1, b.rank(x));
  const int64_t largest = c.integer("largest", 1) != 0, sorted = c.integer("sorted", 1) != 0;
  const Value indices = b.op(
      "top_k_indices", {x},
      {{"axis", ints({axis})}, {"k", Dims{top_count(c)}}, {"largest", ints({largest})}, {"sorted", ints({sorted})}});
  if (c.wants(0)) c.out(0, b.op("gather_elements", {x, indices}, {{"axis", ints({axis})}}));
  if (c.wants(1)) c.out(1, indices);
}

const RegisterLowering arg_max({"ArgMax", 13, "axis keepdims select_last_index:12"}, lower_arg<"arg_max">);
const RegisterLowering arg_min({"ArgMin", 13, "axis keepdims select_last_index:12"}, lower_arg<"arg_min">);
const RegisterLowering top_k({"TopK", 24, "axis k largest:11 sorted:11"}, lower_top_k);

}  // namespace
}  // namespace ascribe::core::lowering_arg_max
