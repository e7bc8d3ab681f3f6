#include "graph/window.h"

#include <algorithm>
#include <tuple>

#include "base/checked.h"

namespace ascribe::core {

namespace {

// Far beyond any model, and small enough that no sum or product of two overflows.
constexpr int64_t kLargestEntry = int64_t{1} << 30;

int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }  // b > 0

// The axes without their outputs, every entry checked by itself.
Window read_axes(const Attributes& attributes, std::span<const int64_t> input, std::span<const int64_t> kernel,
                 std::string_view where) {
  const auto strides = attributes.integers("strides");
  const auto pads = attributes.integers("pads");
  const auto dilations = attributes.integers("dilations");
  const size_t rank = input.size();
  if (rank == 0) fail(ErrorKind::model, where, "there is no spatial axis; expected an operand of rank 3 or more");
  if (kernel.size() != rank || strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank) {
    fail(ErrorKind::model, where,
         "kernel, strides, dilations and pads have {}, {}, {} and {} entries; expected {}, {}, {} and {}",
         kernel.size(), strides.size(), dilations.size(), pads.size(), rank, rank, rank, 2 * rank);
  }
  Window window;
  for (size_t i = 0; i < rank; ++i) {
    const WindowAxis axis{input[i], kernel[i], strides[i], dilations[i], pads[i], pads[rank + i], 0};
    if (axis.input < 1) fail(ErrorKind::model, where, "spatial axis {} is empty", i);
    for (const auto& [name, value, least] : {std::tuple{"kernel", axis.kernel, 1},
                                             {"strides", axis.stride, 1},
                                             {"dilations", axis.dilation, 1},
                                             {"pads", axis.before, 0},
                                             {"pads", axis.after, 0}}) {
      if (value < least || value > kLargestEntry) {
        fail(ErrorKind::model, where, "{} out of range; got {}; expected {} to 2^30", name, value, least);
      }
    }
    window.push_back(axis);
  }
  return window;
}

}  // namespace

WindowAxis::Taps WindowAxis::taps_within(int64_t o, int64_t low, int64_t high) const {
  const int64_t first = start(o);
  const int64_t begin = std::clamp<int64_t>(divide_up(low - first, dilation), 0, kernel);
  const int64_t end = std::clamp<int64_t>(divide_up(high - first, dilation), begin, kernel);
  return {begin, end};
}

Window make_window(const Attributes& attributes, std::span<const int64_t> input, std::span<const int64_t> kernel,
                   std::string_view where) {
  const bool ceil_mode = attributes.has("ceil_mode") && attributes.flag("ceil_mode");
  Window window = read_axes(attributes, input, kernel, where);
  for (WindowAxis& axis : window) {
    const int64_t padded = checked_add(axis.input, axis.before + axis.after, where);
    const int64_t room = padded - axis.reach();
    if (room < 0 && !(ceil_mode && room > -axis.stride)) {
      fail(ErrorKind::model, where, "the kernel reaches over {} elements; expected at most the padded input's {}",
           axis.reach(), padded);
    }
    axis.output = 1 + (ceil_mode ? divide_up(room, axis.stride) : room / axis.stride);
    if (ceil_mode && axis.start(axis.output - 1) >= axis.input) --axis.output;
  }
  return window;
}

Window make_transposed_window(const Attributes& attributes, std::span<const int64_t> input,
                              std::span<const int64_t> kernel, std::string_view where) {
  const auto extra = attributes.integers("output_padding");
  Window window = read_axes(attributes, input, kernel, where);
  if (extra.size() != window.size()) {
    fail(ErrorKind::model, where, "output_padding has {} entries; expected {}", extra.size(), window.size());
  }
  for (size_t i = 0; i < window.size(); ++i) {
    WindowAxis& axis = window[i];
    if (extra[i] < 0) fail(ErrorKind::model, where, "output_padding must not be negative; got {}", extra[i]);
    const int64_t full = checked_add(
        checked_add(checked_multiply(axis.stride, axis.input - 1, where), axis.reach(), where), extra[i], where);
    axis.output = full - checked_add(axis.before, axis.after, where);
    if (axis.output < 1) {
      fail(ErrorKind::model, where, "the pads cut away the whole output; got {} and {} of {}", axis.before, axis.after,
           full);
    }
  }
  return window;
}

Shape spatial_extents(const Signature& s, size_t operand) {
  const Dims& shape = s.shape(operand);
  if (shape.size() < 3) s.refuse("expected an operand [rows, channels, spatial...]; got {}", to_string(shape));
  Shape extents;
  for (size_t axis = 1; axis < shape.size(); ++axis) {
    if (!shape[axis].is_fixed()) s.refuse("only the first axis may grow with the batch; got {}", to_string(shape));
    if (axis >= 2) extents.push_back(shape[axis].fixed);
  }
  return extents;
}

Shape output_extents(const Window& window) {
  Shape extents;
  for (const WindowAxis& axis : window) extents.push_back(axis.output);
  return extents;
}

Window pool_window(const Attributes& attributes, std::span<const int64_t> input_shape, std::string_view where) {
  const auto kernel = attributes.integers("kernel");
  const Window window = make_window(attributes, input_shape.subspan(2), kernel, where);
  for (const WindowAxis& axis : window) {
    if (axis.before >= axis.reach() || axis.after >= axis.reach()) {
      fail(ErrorKind::model, where, "a window lies in the padding; got pads {} and {}; expected less than {}",
           axis.before, axis.after, axis.reach());
    }
    // Taps further apart than the input is long can step over it.
    if (axis.kernel > 1 && axis.dilation > axis.input) {
      fail(ErrorKind::model, where, "a dilated window steps over the input; got dilation {}; expected at most {}",
           axis.dilation, axis.input);
    }
  }
  return window;
}

Type infer_pool(const Signature& s) {
  Shape shape = spatial_extents(s, 0);
  shape.insert(shape.begin(), 2, 1);
  Dims result = {s.shape(0)[0], s.shape(0)[1]};
  for (const int64_t extent : output_extents(pool_window(s.attributes, shape, s.where))) result.push_back(extent);
  return {s.inputs[0].kind, result};
}

}  // namespace ascribe::core
