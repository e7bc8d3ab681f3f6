#include "runtime/kernels/channel_scale.h"

#include <algorithm>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core::kernel_channel_scale {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk

struct Times {
  float operator()(float x, float s) const { return x * s; }
};
struct Plus {
  float operator()(float x, float s) const { return x + s; }
};

// [N, C, 1, ...] or [1, C, 1, ...] beside [N, C, ...].
bool is_per_row_and_channel(const Shape& small, const Shape& large) {
  if (small.size() != large.size() || (small[0] != large[0] && small[0] != 1) || small[1] != large[1]) return false;
  return std::all_of(small.begin() + 2, small.end(), [](int64_t extent) { return extent == 1; });
}

template <class F>
class ChannelScaleKernel : public Kernel {
 public:
  ChannelScaleKernel(const KernelRequest& request, size_t tensor_input, ChannelOrder order)
      : tensor_input_(tensor_input) {
    const Operand &x = request.inputs[tensor_input], &s = request.inputs[1 - tensor_input];
    channels_ = x.shape[1];
    block_ = order.last ? channels_ : order.block;
    blocks_ = (channels_ + block_ - 1) / block_;
    positions_ = element_count(Shape(x.shape.begin() + 2, x.shape.end()));
    rows_ = x.shape[0];
    const auto own = channel_order(s.layout, s.shape);
    // One position: whatever the order, the channels of a row lie side by side, perhaps filled up to whole blocks.
    const int64_t filled = own && !own->last ? (channels_ + own->block - 1) / own->block * own->block : channels_;
    row_step_ = s.shape[0] == 1 ? 0 : filled;
    input_layouts.resize(2);
    input_layouts[tensor_input] = x.layout;
    input_layouts[1 - tensor_input] = own ? s.layout : nullptr;
    held.assign(2, false);
    output_layout = x.layout;
    output_bytes = bytes_in(x.layout, 0);
    in_place = static_cast<int>(tensor_input);
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const float*>(inputs[tensor_input_]);
    s_ = static_cast<const float*>(inputs[1 - tensor_input_]);
    y_ = static_cast<float*>(output);
  }

  void run() override {
    const int64_t lines = rows_ * blocks_ * positions_;  // of block_ numbers each
    const int64_t grain = std::max<int64_t>(1, kElements / block_);
    if (lines <= grain) walk(0, lines);
    else parallel_for(lines, grain, [&](int64_t begin, int64_t end) { walk(begin, end); });
  }

 private:
  void walk(int64_t begin, int64_t end) const {
    for (int64_t line = begin; line < end;) {
      const int64_t item = line / positions_;  // row and block
      const int64_t stop = std::min(end, (item + 1) * positions_);
      const int64_t first = item % blocks_ * block_;
      const float* s = s_ + item / blocks_ * row_step_ + first;
      const int64_t used = std::min(block_, channels_ - first);
      for (; line < stop; ++line) one_line(x_ + line * block_, s, y_ + line * block_, used);
    }
  }

  // Channels that only fill a block stay 0.
  void one_line(const float* x, const float* s, float* y, int64_t used) const {
    const F f;
#pragma omp simd
    for (int64_t i = 0; i < used; ++i) y[i] = f(x[i], s[i]);
    for (int64_t i = used; i < block_; ++i) y[i] = 0;
  }

  size_t tensor_input_;
  int64_t channels_ = 0, block_ = 0, blocks_ = 0, positions_ = 0, rows_ = 0, row_step_ = 0;
  const float *x_ = nullptr, *s_ = nullptr;
  float* y_ = nullptr;
};

}  // namespace
}  // namespace ascribe::core::kernel_channel_scale

namespace ascribe::core {

std::unique_ptr<Kernel> make_channel_scale(const KernelRequest& request) {
  using namespace kernel_channel_scale;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const Operand& x = request.inputs[side];
    const auto order = channel_order(x.layout, x.shape);
    if (!order || x.shape != request.output.shape) continue;
    if (!is_per_row_and_channel(request.inputs[1 - side].shape, x.shape)) continue;
    if (request.op.name == "mul") return std::make_unique<ChannelScaleKernel<Times>>(request, side, *order);
    if (request.op.name == "add") return std::make_unique<ChannelScaleKernel<Plus>>(request, side, *order);
  }
  return nullptr;
}

}  // namespace ascribe::core
