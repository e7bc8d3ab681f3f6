// The mean over each window. With count_include_pad the declared padding counts as
// zeros; what a window of ceil_mode covers beyond it never counts.
#include "graph/adjoint.h"
#include "graph/convolution.h"
#include "graph/op_support.h"
#include "graph/window.h"

namespace ascribe::core::op_average_pool {
namespace {

Type infer(const Signature& s) {
  infer_same_real(s);
  return infer_pool(s);
}

int64_t divisor(const Window& window, std::span<const int64_t> position, bool include_pad) {
  int64_t count = 1;
  for (size_t i = 0; i < window.size(); ++i) {
    const WindowAxis& axis = window[i];
    const int64_t low = include_pad ? -axis.before : 0;
    const int64_t high = include_pad ? axis.input + axis.after : axis.input;
    const auto taps = axis.taps_within(position[i], low, high);
    count *= taps.end - taps.begin;
  }
  return count;
}

void apply(const Evaluation& e) {
  const Window window = pool_window(e.attributes, e.inputs[0].shape, "average_pool");
  const bool include_pad = e.attributes.flag("count_include_pad");
  const int64_t plane_size = element_count(std::span(e.inputs[0].shape).subspan(2));
  const int64_t planes = e.inputs[0].shape[0] * e.inputs[0].shape[1];
  visit_real(e.output.dtype, [&]<class T>(T) {
    const auto x = e.inputs[0].data<const T>();
    const auto out = e.output.data<T>();
    for_each_window(window, planes, [&](int64_t i, int64_t plane, std::span<const int64_t> position) {
      double sum = 0;
      auto add = [&](int64_t index) { sum += x[plane * plane_size + index]; };
      for_each_tap(window, position, add);
      out[i] = static_cast<T>(sum / static_cast<double>(divisor(window, position, include_pad)));
    });
  });
}

// Every mean gives each element of its window the same share.
Value adjoint(const DerivativeRequest& r, Value gradient) {
  Builder& b = r.b;
  const Shape shape = at(b.shape(r.inputs[0]), 1);
  const Window window = pool_window(r.attributes, shape, b.where());
  const Shape outputs = output_extents(window);
  Shape map = outputs;
  map.insert(map.begin(), 2, 1);
  std::vector<double> shares(element_count(map));
  for_each_window(window, 1, [&](int64_t i, int64_t, std::span<const int64_t> position) {
    shares[i] = 1 / static_cast<double>(divisor(window, position, r.attributes.flag("count_include_pad")));
  });
  Shape kernel = r.attributes.integers("kernel");
  kernel.insert(kernel.begin(), {shape[1], 1});
  Tensor ones(DType::f64, kernel);
  std::ranges::fill(ones.mutable_data<double>(), 1);
  return b.op("conv_transpose", {b.mul(gradient, b.constant(Tensor::of<double>(map, shares))), b.constant(ones)},
              transposed_attributes(window, shape[1]));
}

const RegisterOp average_pool({.name = "average_pool",
                               .op_class = OpClass::linear,
                               .traits = {.windowed = true, .sign = Sign::kept},
                               .formula = "the mean over each window",
                               .infer = infer,
                               .apply = apply,
                               .adjoint = adjoint});

}  // namespace
}  // namespace ascribe::core::op_average_pool
