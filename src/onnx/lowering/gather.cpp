// Gather, GatherElements, GatherND and their counterparts ScatterElements (once Scatter), ScatterND.
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_gather {
namespace {

template <Literal Name>
void lower_gather(NodeContext& c) {
  const int64_t axis = axis_attribute(c, 0, c.b().rank(c.in(0)));
  c.out(0, c.b().op(Name.text, {c.in(0), c.in(1)}, {{"axis", ints({axis})}}));
}

void lower_gather_nd(NodeContext& c) {
  c.out(0, c.b().op("gather_nd", {c.in(0), c.in(1)}, {{"batch_dims", ints({c.integer("batch_dims", 0)})}}));
}

std::string reduction(const NodeContext& c) {
  const std::string name = c.text("reduction", "none");
  for (const std::string_view known : {"none", "add", "mul", "min", "max"}) {
    if (name == known) return name;
  }
  c.refuse("reduction is \"{}\"; expected none, add, mul, min or max", name);
}

void lower_scatter_elements(NodeContext& c) {
  const int64_t axis = axis_attribute(c, 0, c.b().rank(c.in(0)));
  c.out(0, c.b().op("scatter_elements", {c.in(0), c.in(1), c.in(2)},
                    {{"axis", ints({axis})}, {"reduction", reduction(c)}}));
}

void lower_scatter_nd(NodeContext& c) {
  c.out(0, c.b().op("scatter_nd", {c.in(0), c.in(1), c.in(2)}, {{"reduction", reduction(c)}}));
}

const RegisterLowering gather({"Gather", 13, "axis"}, lower_gather<"gather">);
const RegisterLowering gather_elements({"GatherElements", 13, "axis"}, lower_gather<"gather_elements">);
const RegisterLowering gather_nd({"GatherND", 13, "batch_dims:12"}, lower_gather_nd);
const RegisterLowering scatter({"Scatter", 11, "axis"}, lower_scatter_elements);
const RegisterLowering scatter_elements({"ScatterElements", 18, "axis reduction:16"}, lower_scatter_elements);
const RegisterLowering scatter_nd({"ScatterND", 18, "reduction:16"}, lower_scatter_nd);

}  // namespace
}  // namespace ascribe::core::lowering_gather
