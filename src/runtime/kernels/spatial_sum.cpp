// Sums and means over all spatial axes of values that lie as convolutions like them: global average pooling, and the
// gradient of a gate for each channel. Positions are added up in chunks of a fixed number, so that the result does not
// depend on the number of threads.
#include <algorithm>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core::kernel_spatial_sum {
namespace {

class SpatialSumKernel : public Kernel {
 public:
  SpatialSumKernel(const KernelRequest& request, ChannelOrder order) {
    const Operand& x = request.inputs[0];
    rows_ = x.shape[0];
    channels_ = x.shape[1];
    positions_ = element_count(Shape(x.shape.begin() + 2, x.shape.end()));
    padded_ = order.last ? channels_ : (channels_ + order.block - 1) / order.block * order.block;
    block_ = order.last ? std::min<int64_t>(channels_, kLanes) : order.block;
    step_ = order.last ? channels_ : order.block;
    factor_ = request.op.name == "reduce_mean" ? 1.0F / static_cast<float>(positions_) : 1.0F;
    input_layouts = {x.layout};
    held = {false};
    last_ = order.last;
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const float*>(inputs[0]);
    y_ = static_cast<float*>(output);
  }

  void run() override {
    const int64_t blocks = (channels_ + block_ - 1) / block_;
    const int64_t grain = std::max<int64_t>(1, kElements / (positions_ * block_));
    const auto walk = [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) one_block(item / blocks, item % blocks * block_);
    };
    if (rows_ * blocks <= grain) walk(0, rows_ * blocks);
    else parallel_for(rows_ * blocks, grain, walk);
  }

 private:
  static constexpr int64_t kLanes = 16, kElements = 1 << 15, kPositions = 64;

  // Fixed: the number of channels that the compiler knows; 0: any.
  template <int64_t Fixed>
  void add_lines(const float* x, int64_t begin, int64_t end, int64_t any, float* part) const {
    const int64_t used = Fixed != 0 ? Fixed : any;
    for (int64_t p = begin; p < end; ++p) {
#pragma omp simd
      for (int64_t i = 0; i < used; ++i) part[i] += x[p * step_ + i];
    }
  }

  // The sums of the channels from `first` on, of one row.
  void one_block(int64_t row, int64_t first) const {
    const int64_t used = std::min(block_, channels_ - first);
    const float* x = x_ + row * padded_ * positions_ + (last_ ? first : first * positions_);
    float total[kLanes] = {};
    for (int64_t begin = 0; begin < positions_; begin += kPositions) {
      float part[kLanes] = {};
      const int64_t end = std::min(positions_, begin + kPositions);
      if (used == 16) add_lines<16>(x, begin, end, used, part);
      else if (used == 8) add_lines<8>(x, begin, end, used, part);
      else add_lines<0>(x, begin, end, used, part);
      for (int64_t i = 0; i < kLanes; ++i) total[i] += part[i];
    }
    for (int64_t i = 0; i < used; ++i) y_[row * channels_ + first + i] = total[i] * factor_;
  }

  int64_t rows_ = 0, channels_ = 0, positions_ = 0, padded_ = 0, block_ = 0, step_ = 0;
  bool last_ = false;
  float factor_ = 1;
  const float* x_ = nullptr;
  float* y_ = nullptr;
};

std::unique_ptr<Kernel> make_spatial_sum(const KernelRequest& request) {
  const Operand& x = request.inputs[0];
  const auto order = channel_order(x.layout, x.shape);
  const auto axes = request.attributes.integers("axes");
  if (!order || axes.size() != x.shape.size() - 2 || request.output.size() == 0 || x.size() == 0) return nullptr;
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d] != static_cast<int64_t>(d) + 2) return nullptr;
  }
  return std::make_unique<SpatialSumKernel>(request, *order);
}

const RegisterKernel sum("reduce_sum", DType::f32, make_spatial_sum);
const RegisterKernel mean("reduce_mean", DType::f32, make_spatial_sum);

}  // namespace
}  // namespace ascribe::core::kernel_spatial_sum
