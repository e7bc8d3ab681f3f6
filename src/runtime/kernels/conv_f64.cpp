// Convolution and its transpose in float64: patches of the input are laid out as columns ("im2col") and
// multiplied with the weights. Tiles of output positions depend on the shapes only. Of the transpose, a tap that would
// come from between two inputs is a zero in the column.
#include "base/parallel.h"
#include "runtime/kernels/blas.h"
#include "runtime/kernels/kernel.h"

namespace ascribe::core::kernel_conv_f64 {
namespace {

constexpr int64_t kTile = 256;  // output positions per product

struct ConvShape {
  int64_t batch, group, channels_in, channels_out, taps, positions;  // channels per group
  Shape in, out, kernel;                                             // spatial
  std::vector<int64_t> strides, pads, dilations;
  bool transposed;
};

ConvShape shape_of(const KernelRequest& request, bool transposed) {
  const Shape &x = request.inputs[0].shape, &w = request.inputs[1].shape, &y = request.output.shape;
  ConvShape s;
  s.batch = x[0];
  s.group = request.attributes.integer("group");
  s.transposed = transposed;
  s.channels_in = transposed ? w[0] / s.group : w[1];
  s.channels_out = transposed ? w[1] : w[0] / s.group;
  s.in = Shape(x.begin() + 2, x.end());
  s.out = Shape(y.begin() + 2, y.end());
  s.kernel = Shape(w.begin() + 2, w.end());
  s.taps = element_count(s.kernel);
  s.positions = element_count(s.out);
  s.strides = request.attributes.integers("strides");
  s.pads = request.attributes.integers("pads");
  s.dilations = request.attributes.integers("dilations");
  return s;
}

// The flat input offset that every (tap, output position) reads; -1 in the padding.
std::vector<int64_t> source_offsets(const ConvShape& s) {
  std::vector<int64_t> offsets(s.taps * s.positions);
  const auto kernel_strides = strides_of(s.kernel), out_strides = strides_of(s.out), in_strides = strides_of(s.in);
  for (int64_t tap = 0; tap < s.taps; ++tap) {
    for (int64_t position = 0; position < s.positions; ++position) {
      int64_t offset = 0;
      for (size_t d = 0; d < s.in.size() && offset >= 0; ++d) {
        const int64_t k = tap / kernel_strides[d] % s.kernel[d], o = position / out_strides[d] % s.out[d];
        int64_t i = o * s.strides[d] + k * s.dilations[d] - s.pads[d];
        if (s.transposed) {
          const int64_t steps = o + s.pads[d] - k * s.dilations[d];
          i = steps >= 0 && steps % s.strides[d] == 0 ? steps / s.strides[d] : -1;
        }
        offset = i < 0 || i >= s.in[d] ? -1 : offset + i * in_strides[d];
      }
      offsets[tap * s.positions + position] = offset;
    }
  }
  return offsets;
}

class ConvDoubleKernel : public Kernel {
 public:
  ConvDoubleKernel(const KernelRequest& request, bool transposed)
      : s_(shape_of(request, transposed)), offsets_(source_offsets(s_)), biased_(request.inputs.size() > 2) {
    input_layouts.resize(request.inputs.size());
    held.resize(request.inputs.size(), false);
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const double*>(inputs[0]);
    w_ = static_cast<const double*>(inputs[1]);
    bias_ = biased_ ? static_cast<const double*>(inputs[2]) : nullptr;
    y_ = static_cast<double*>(output);
  }

  void run() override {
    if (s_.transposed) turn_weights();
    const int64_t tiles = (s_.positions + kTile - 1) / kTile;
    parallel_for(s_.batch * s_.group * tiles, 1, [&](int64_t begin, int64_t end) {
      std::vector<double> columns(s_.channels_in * s_.taps * kTile);
      for (int64_t item = begin; item < end; ++item) {
        compute_tile(item / tiles / s_.group, item / tiles % s_.group, item % tiles * kTile, columns);
      }
    });
  }

 private:
  // [C, M, taps] to [M, C, taps], group by group.
  void turn_weights() {
    turned_.resize(s_.group * s_.channels_in * s_.channels_out * s_.taps);
    for (int64_t c = 0; c < s_.group * s_.channels_in; ++c) {
      const int64_t group = c / s_.channels_in, inside = c % s_.channels_in;
      for (int64_t m = 0; m < s_.channels_out; ++m) {
        const int64_t to = ((group * s_.channels_out + m) * s_.channels_in + inside) * s_.taps;
        std::copy_n(w_ + (c * s_.channels_out + m) * s_.taps, s_.taps, turned_.begin() + to);
      }
    }
  }

  void compute_tile(int64_t row, int64_t group, int64_t first, std::vector<double>& columns) const {
    const int64_t width = std::min(kTile, s_.positions - first), inner = s_.channels_in * s_.taps;
    const int64_t plane = element_count(s_.in);
    const double* x = x_ + (row * s_.group + group) * s_.channels_in * plane;
    for (int64_t c = 0; c < s_.channels_in; ++c) {
      for (int64_t tap = 0; tap < s_.taps; ++tap) {
        const int64_t* from = offsets_.data() + tap * s_.positions + first;
        double* to = columns.data() + (c * s_.taps + tap) * width;
        for (int64_t p = 0; p < width; ++p) to[p] = from[p] < 0 ? 0.0 : x[c * plane + from[p]];
      }
    }
    double* y = y_ + (row * s_.group + group) * s_.channels_out * s_.positions + first;
    for (int64_t m = 0; m < s_.channels_out; ++m) {
      std::fill_n(y + m * s_.positions, width, biased_ ? bias_[group * s_.channels_out + m] : 0.0);
    }
    const double* w = s_.transposed ? turned_.data() : w_;
    const MatrixView weights{w + group * s_.channels_out * inner, inner, false};
    multiply_tile(s_.channels_out, width, inner, weights, {columns.data(), width, false}, 1.0, y, s_.positions);
  }

  ConvShape s_;
  std::vector<int64_t> offsets_;
  bool biased_;
  std::vector<double> turned_;
  const double *x_ = nullptr, *w_ = nullptr, *bias_ = nullptr;
  double* y_ = nullptr;
};

std::unique_ptr<Kernel> make_conv(const KernelRequest& request) {
  if (request.output.size() == 0 || request.inputs[0].size() == 0) return nullptr;
  return std::make_unique<ConvDoubleKernel>(request, false);
}

std::unique_ptr<Kernel> make_conv_transpose(const KernelRequest& request) {
  if (request.output.size() == 0 || request.inputs[0].size() == 0) return nullptr;
  return std::make_unique<ConvDoubleKernel>(request, true);
}

const RegisterKernel conv("conv", DType::f64, make_conv),
    conv_transpose("conv_transpose", DType::f64, make_conv_transpose);

}  // namespace
}  // namespace ascribe::core::kernel_conv_f64
