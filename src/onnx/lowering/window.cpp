#include "onnx/lowering/window.h"

namespace ascribe::core {

namespace {

// Larger windows than any real one; keeps the arithmetic below far from overflow.
constexpr int64_t kLargestWindow = int64_t{1} << 24;

void check_range(const NodeContext& c, std::string_view what, const std::vector<int64_t>& values, size_t count,
                 int64_t lowest) {
  if (values.size() != count) c.refuse("{} has {} entries; expected {}", what, values.size(), count);
  for (const int64_t value : values) {
    if (value < lowest || value > kLargestWindow) {
      c.refuse("{} is out of range; got {}; expected {} to {}", what, value, lowest, kLargestWindow);
    }
  }
}

}  // namespace

AutoPad auto_pad(const NodeContext& c) {
  const std::string mode = c.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return AutoPad::notset;
  if (mode == "VALID") return AutoPad::valid;
  if (mode == "SAME_UPPER") return AutoPad::same_upper;
  if (mode == "SAME_LOWER") return AutoPad::same_lower;
  c.refuse("auto_pad is \"{}\"; expected NOTSET, VALID, SAME_UPPER or SAME_LOWER", mode);
}

void set_pads(Window& window, size_t axis, int64_t total, AutoPad mode) {
  const int64_t half = total / 2;
  window.pads[axis] = mode == AutoPad::same_upper ? half : total - half;
  window.pads[axis + window.rank()] = total - window.pads[axis];
}

std::vector<int64_t> spatial_sizes(const NodeContext& c, const Dims& input) {
  std::vector<int64_t> sizes;
  for (size_t axis = 2; axis < input.size(); ++axis) sizes.push_back(fixed_size(c, input[axis], "a spatial size"));
  return sizes;
}

std::vector<int64_t> kernel_of(const NodeContext& c, Value weight) {
  const Dims& shape = c.b().shape(weight);
  if (shape.size() < 3) c.refuse("the weight has shape {}; expected at least 3 axes", to_string(shape));
  return spatial_sizes(c, shape);
}

Window read_window(const NodeContext& c, const Dims& input, std::vector<int64_t> kernel) {
  if (input.size() < 3) c.refuse("the input has shape {}; expected [N, C, spatial...]", to_string(input));
  const size_t rank = input.size() - 2;
  const auto given = c.integers("kernel_shape", kernel);
  if (kernel.empty()) kernel = given;
  if (given != kernel) c.refuse("kernel_shape does not agree with the weight");
  Window window{.kernel = kernel,
                .strides = c.integers("strides", std::vector<int64_t>(rank, 1)),
                .dilations = c.integers("dilations", std::vector<int64_t>(rank, 1)),
                .pads = c.integers("pads", std::vector<int64_t>(2 * rank, 0))};
  check_range(c, "kernel_shape", window.kernel, rank, 1);
  check_range(c, "strides", window.strides, rank, 1);
  check_range(c, "dilations", window.dilations, rank, 1);
  check_range(c, "pads", window.pads, 2 * rank, 0);
  return window;
}

Window padded_window(const NodeContext& c, const Dims& input, std::vector<int64_t> kernel) {
  Window window = read_window(c, input, std::move(kernel));
  const AutoPad mode = auto_pad(c);
  if (mode == AutoPad::notset) return window;
  window.pads.assign(2 * window.rank(), 0);
  if (mode == AutoPad::valid) return window;
  const auto sizes = spatial_sizes(c, input);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t steps = sizes[axis] == 0 ? 0 : (sizes[axis] - 1) / window.strides[axis];  // ceil(size / stride) - 1
    const int64_t covered = steps * window.strides[axis] + window.extent(axis);
    set_pads(window, axis, std::max<int64_t>(covered - sizes[axis], 0), mode);
  }
  return window;
}

Value convolved(const NodeContext& c, Value x, Value w, Value bias) {
  Builder& b = c.b();
  const Window window = padded_window(c, b.shape(x), kernel_of(c, w));
  std::vector<Value> operands = {x, w};
  if (bias.valid()) operands.push_back(bias);
  return b.op("conv", operands,
              {{"strides", ints(window.strides)},
               {"pads", ints(window.pads)},
               {"dilations", ints(window.dilations)},
               {"group", ints({c.integer("group", 1)})}});
}

}  // namespace ascribe::core
