// ConvTranspose. Its output has (in - 1) stride + output_padding + extent - pads elements per
// axis; output_shape or auto_pad = SAME (in * stride) fix that number and leave the pads to us.
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_conv_transpose {
namespace {

// The spatial sizes asked for, or nothing. Early files write the batch and channels too.
std::vector<int64_t> wanted_sizes(const NodeContext& c, const Window& window, const std::vector<int64_t>& input,
                                  AutoPad mode) {
  auto wanted = c.integers("output_shape", {});
  if (wanted.size() == window.rank() + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty()) {
    if (wanted.size() != window.rank())
      c.refuse("output_shape has {} entries; expected {}", wanted.size(), window.rank());
    return wanted;
  }
  if (mode != AutoPad::same_upper && mode != AutoPad::same_lower) return {};
  for (size_t axis = 0; axis < window.rank(); ++axis) wanted.push_back(input[axis] * window.strides[axis]);
  return wanted;
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  Window window = read_window(c, b.shape(c.in(0)), kernel_of(c, c.in(1)));
  const AutoPad mode = auto_pad(c);
  if (mode == AutoPad::valid) window.pads.assign(2 * window.rank(), 0);
  auto output_padding = c.integers("output_padding", std::vector<int64_t>(window.rank(), 0));
  if (output_padding.size() != window.rank()) c.refuse("output_padding has {} entries", output_padding.size());
  const auto sizes = spatial_sizes(c, b.shape(c.in(0)));
  const auto wanted = wanted_sizes(c, window, sizes, mode);
  for (size_t axis = 0; axis < wanted.size(); ++axis) {
    const int64_t natural = (sizes[axis] - 1) * window.strides[axis] + window.extent(axis);
    if (output_padding[axis] < 0 || output_padding[axis] > natural || wanted[axis] < 1 || wanted[axis] > 2 * natural) {
      c.refuse("the output cannot have size {}; expected about {}", wanted[axis], natural);
    }
    const int64_t total = natural + output_padding[axis] - wanted[axis];
    set_pads(window, axis, std::max<int64_t>(total, 0), mode);
    if (total < 0) output_padding[axis] -= total;
  }
  std::vector<Value> operands = {c.in(0), c.in(1)};
  if (c.has(2)) operands.push_back(c.in(2));
  c.out(0, b.op("conv_transpose", operands,
                {{"strides", ints(window.strides)},
                 {"pads", ints(window.pads)},
                 {"dilations", ints(window.dilations)},
                 {"group", ints({c.integer("group", 1)})},
                 {"output_padding", ints(output_padding)}}));
}

const RegisterLowering conv_transpose(
    {"ConvTranspose", 22, "auto_pad dilations group kernel_shape output_padding output_shape pads strides"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_conv_transpose
