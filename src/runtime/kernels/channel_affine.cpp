#include "runtime/kernels/channel_affine.h"

#include <algorithm>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core {
namespace {

// One value per channel of `large`: [C, 1, 1], [1, C, 1, 1] or a single value.
bool is_per_channel(const Operand& small, const Shape& large) {
  if (!small.value.valid() || !small.constant || small.shape.size() > large.size()) return false;
  const size_t missing = large.size() - small.shape.size();
  for (size_t axis = 0; axis < small.shape.size(); ++axis) {
    const int64_t extent = small.shape[axis];
    if (extent != 1 && (axis + missing != 1 || extent != large[1])) return false;
  }
  return true;
}

class ChannelAffineKernel : public Kernel {
 public:
  ChannelAffineKernel(const KernelRequest& request, size_t tensor_input, ChannelOrder order) {
    const Operand& x = request.inputs[tensor_input];
    const int64_t block = block_ = order.last ? x.shape[1] : order.block;
    rows_ = x.shape[0];
    blocks_ = (x.shape[1] + block - 1) / block;
    positions_ = element_count(Shape(x.shape.begin() + 2, x.shape.end()));
    tensor_input_ = tensor_input;
    input_layouts.resize(2);
    input_layouts[tensor_input] = x.layout;
    held.assign(2, false);
    held[1 - tensor_input] = true;
    output_layout = x.layout;
    output_bytes = bytes_in(x.layout, 0);
    in_place = static_cast<int>(tensor_input);
    // Padded channels get 0 * 0 + 0: the padding stays zero.
    scale_.assign(static_cast<size_t>(blocks_ * block), 0.0F);
    shift_ = scale_;
    std::fill_n(scale_.begin(), x.shape[1], 1.0F);
    absorb(request.op.name, request.inputs[1 - tensor_input], request, x.shape[1]);
    for (const Follower& follower : request.followers) {
      const std::string& op = follower.op->name;
      if ((op == "add" || op == "mul") && is_per_channel(follower.other, x.shape)) {
        absorb(op, follower.other, request, x.shape[1]);
      } else if (op == "relu") {
        relu_ = true;
        ++absorbed;
        break;
      } else {
        break;
      }
      ++absorbed;
    }
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const float*>(inputs[tensor_input_]);
    y_ = static_cast<float*>(output);
  }

  void run() override {
    parallel_for(rows_ * blocks_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        if (block_ == 8) walk<8>(item, 8);
        else if (block_ == 16) walk<16>(item, 16);
        else walk<0>(item, block_);
      }
    });
  }

 private:
  void absorb(const std::string& op, const Operand& constant, const KernelRequest& request, int64_t channels) {
    const Tensor tensor = request.constants.plain(constant.value);
    const auto values = tensor.data<float>();
    for (int64_t c = 0; c < channels; ++c) {
      const float value = values[values.size() == 1 ? 0 : c];
      if (op == "mul") {
        scale_[c] *= value;
        shift_[c] *= value;
      } else {
        shift_[c] += value;
      }
    }
  }

  // Fixed: the size of a block that the compiler knows; 0: any.
  template <int64_t Fixed>
  void walk(int64_t item, int64_t any) const {
    const int64_t block = Fixed != 0 ? Fixed : any;
    const float* scale = scale_.data() + item % blocks_ * block;
    const float* shift = shift_.data() + item % blocks_ * block;
    const float* x = x_ + item * positions_ * block;
    float* y = y_ + item * positions_ * block;
    const float floor = relu_ ? 0.0F : -std::numeric_limits<float>::infinity();
    for (int64_t p = 0; p < positions_; ++p) {
      for (int64_t lane = 0; lane < block; ++lane) {
        const float value = x[p * block + lane] * scale[lane] + shift[lane];
        y[p * block + lane] = value < floor ? floor : value;  // NaN stays NaN
      }
    }
  }

  int64_t block_ = 0, rows_ = 0, blocks_ = 0, positions_ = 0;
  size_t tensor_input_ = 0;
  std::vector<float> scale_, shift_;
  bool relu_ = false;
  const float* x_ = nullptr;
  float* y_ = nullptr;
};

}  // namespace

std::unique_ptr<Kernel> make_channel_affine(const KernelRequest& request) {
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const Operand& x = request.inputs[side];
    const auto order = channel_order(x.layout, x.shape);
    if (!order || x.shape != request.output.shape || !is_per_channel(request.inputs[1 - side], x.shape)) continue;
    return std::make_unique<ChannelAffineKernel>(request, side, *order);
  }
  return nullptr;
}

}  // namespace ascribe::core
