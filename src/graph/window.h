// Windows sliding over the spatial axes of x [rows, channels, spatial...]: the geometry
// of convolution and pooling. Window o of an axis covers the positions
// o * stride - before + k * dilation, k = 0 ... kernel - 1; what lies outside of
// [0, input) is padding. Pads are listed as in ONNX: all begins, then all ends.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.h"
#include "graph/op.h"

namespace ascribe::core {

struct WindowAxis {
  int64_t input = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;  // padding
  int64_t after = 0;
  int64_t output = 1;  // the number of windows

  int64_t reach() const { return (kernel - 1) * dilation + 1; }
  int64_t start(int64_t o) const { return o * stride - before; }
  // The taps k of window o at positions in [low, high), as a half-open range.
  struct Taps {
    int64_t begin, end;
  };
  Taps taps_within(int64_t o, int64_t low, int64_t high) const;
  Taps taps(int64_t o) const { return taps_within(o, 0, input); }
};

using Window = std::vector<WindowAxis>;  // one entry per spatial axis

// Reads strides, pads, dilations and, if present, ceil_mode; computes the outputs and refuses
// (kind model) what contradicts itself. In ceil_mode the last window may reach beyond the end
// padding, but one that starts in it does not count.
Window make_window(const Attributes& attributes, std::span<const int64_t> input, std::span<const int64_t> kernel,
                   std::string_view where);

// The same for the transposed convolution, whose windows slide over its output:
// output = stride * (input - 1) + reach - before - after + output_padding.
// The axes come with `input` and `output` as the transposed convolution sees them.
Window make_transposed_window(const Attributes& attributes, std::span<const int64_t> input,
                              std::span<const int64_t> kernel, std::string_view where);

// The extents of the spatial axes (all but the first two), which must not grow with the batch.
Shape spatial_extents(const Signature& signature, size_t operand);
Shape output_extents(const Window& window);

// Pooling: the window given by `kernel`, and the type of the result. Every window holds an input.
Window pool_window(const Attributes& attributes, std::span<const int64_t> input_shape, std::string_view where);
Type infer_pool(const Signature& signature);

// Calls f(flat index into one input plane) for what the window at `position` covers of the
// plane, in row-major order.
template <class F>
void for_each_tap(const Window& window, std::span<const int64_t> position, F& f, size_t axis = 0, int64_t base = 0) {
  const WindowAxis& a = window[axis];
  const auto [begin, end] = a.taps(position[axis]);
  for (int64_t k = begin; k < end; ++k) {
    const int64_t index = base * a.input + a.start(position[axis]) + k * a.dilation;
    if (axis + 1 == window.size()) f(index);
    else for_each_tap(window, position, f, axis + 1, index);
  }
}

// Calls f(flat index of the output, plane, position) for every window of `planes` planes, in parallel.
template <class F>
void for_each_window(const Window& window, int64_t planes, F f) {
  const Shape outputs = output_extents(window);
  const int64_t per_plane = element_count(outputs);
  parallel_for(planes * per_plane, 1 << 10, [&](int64_t begin, int64_t end) {
    Shape position(outputs.size());
    for (int64_t i = begin; i < end; ++i) {
      int64_t rest = i % per_plane;
      for (size_t axis = outputs.size(); axis-- > 0; rest /= outputs[axis]) position[axis] = rest % outputs[axis];
      f(i, i / per_plane, std::span<const int64_t>(position));
    }
  });
}

// Where the largest element of a window is in its plane. The first of equal ones wins, NaN wins over numbers.
template <class T>
int64_t largest_in_window(const Window& window, std::span<const int64_t> position, const T* plane) {
  int64_t best = -1;
  auto consider = [&](int64_t index) {
    const T value = plane[index];
    if (best < 0 || value > plane[best] || (value != value && plane[best] == plane[best])) best = index;
  };
  for_each_tap(window, position, consider);
  return best;
}

}  // namespace ascribe::core
