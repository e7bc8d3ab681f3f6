// Conv in any number of dimensions, with groups, dilations and auto_pad.
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_conv {
namespace {

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Window window = padded_window(c, b.shape(c.in(0)), kernel_of(c, c.in(1)));
  std::vector<Value> operands = {c.in(0), c.in(1)};
  if (c.has(2)) operands.push_back(c.in(2));
  c.out(0, b.op("conv", operands,
                {{"strides", ints(window.strides)},
                 {"pads", ints(window.pads)},
                 {"dilations", ints(window.dilations)},
                 {"group", ints({c.integer("group", 1)})}}));
}

const RegisterLowering conv({"Conv", 22, "auto_pad dilations group kernel_shape pads strides"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_conv
