// Conv in any number of dimensions, with groups, dilations and auto_pad.
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_conv {
namespace {

void lower(NodeContext& c) { c.out(0, convolved(c, c.in(0), c.in(1), c.has(2) ? c.in(2) : Value{})); }

const RegisterLowering conv({"Conv", 22, "auto_pad dilations group kernel_shape pads strides"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_conv
