// Sliding windows: what Conv, ConvTranspose and the poolings have in common. Pads are
// begins, then ends.
#pragma once

#include "onnx/lowering/support.h"

namespace ascribe::core {

struct Window {
  std::vector<int64_t> kernel, strides, dilations, pads;

  size_t rank() const { return kernel.size(); }
  int64_t extent(size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
};

// Attributes read and checked; pads as given, zeros if not. `kernel`: the sizes, if the weights tell them.
Window read_window(const NodeContext& c, const Dims& input, std::vector<int64_t> kernel);
// ... and auto_pad turned into pads for this input [N, C, spatial...].
Window padded_window(const NodeContext& c, const Dims& input, std::vector<int64_t> kernel);

enum class AutoPad { notset, valid, same_upper, same_lower };
AutoPad auto_pad(const NodeContext& c);
// Splits a total into begin and end; the odd one goes to the end for SAME_UPPER.
void set_pads(Window& window, size_t axis, int64_t total, AutoPad mode);

// The spatial sizes of [N, C, spatial...], which must not depend on the batch.
std::vector<int64_t> spatial_sizes(const NodeContext& c, const Dims& input);
// conv of x with weights w, by the node's attributes; the bias may be missing (not valid).
Value convolved(const NodeContext& c, Value x, Value w, Value bias);

// The sizes of a weight behind its first two axes.
std::vector<int64_t> kernel_of(const NodeContext& c, Value weight);

}  // namespace ascribe::core
