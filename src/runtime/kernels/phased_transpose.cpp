// Along one axis, with o + p = s q + r and 0 <= r < s, a transposed convolution is
//   y(o) = sum over t of x(q - t) w(s t + r),
// for each phase r an ordinary convolution with ceil(k / s) taps. Three output channels fill three sixteenths of a
// vector; their phases fill it four times as far, and each takes a quarter of the taps.
#include "runtime/kernels/phased_transpose.h"

#include <array>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core {
namespace {

using Desc = dnnl::memory::desc;
using dnnl::convolution_forward;

struct Axis {
  int64_t input, output, kernel, stride, before;

  int64_t taps() const { return (kernel + stride - 1) / stride; }
  int64_t first() const { return before / stride; }  // q of the first output
  int64_t count() const { return (before + output - 1) / stride - first() + 1; }
  int64_t pad_begin() const { return taps() - 1 - first(); }
  int64_t pad_end() const { return first() + count() - input; }
};

struct Phases {
  std::array<Axis, 2> axes;
  int64_t rows, in_channels, out_channels;

  int64_t per_channel() const { return axes[0].stride * axes[1].stride; }
  int64_t channels() const { return out_channels * per_channel(); }
  Shape result() const { return {rows, channels(), axes[0].count(), axes[1].count()}; }
  Shape weight() const { return {channels(), in_channels, axes[0].taps(), axes[1].taps()}; }
};

int64_t in_vectors(int64_t channels) {
  constexpr int64_t kVector = 16;
  return (channels + kVector - 1) / kVector * kVector;
}

// By the multiplications of whole vectors.
bool pays(const Phases& p) {
  constexpr int64_t kLeastChannels = 16;
  const int64_t direct = p.axes[0].kernel * p.axes[1].kernel * in_vectors(p.out_channels);
  const int64_t phased = p.axes[0].taps() * p.axes[1].taps() * in_vectors(p.channels());
  return p.in_channels >= kLeastChannels && p.per_channel() > 1 && 3 * phased <= 2 * direct;
}

Tensor phased_weight(const Tensor& weight, const Phases& p) {
  Tensor made(DType::f32, p.weight());
  const auto from = weight.data<float>();
  const auto to = made.mutable_data<float>();
  const auto& [down, across] = p.axes;
  size_t at = 0;
  for (int64_t channel = 0; channel < p.channels(); ++channel) {
    const int64_t m = channel / p.per_channel(), phase = channel % p.per_channel();
    for (int64_t c = 0; c < p.in_channels; ++c) {
      for (int64_t u = 0; u < down.taps(); ++u) {
        for (int64_t v = 0; v < across.taps(); ++v, ++at) {
          const int64_t i = down.stride * (down.taps() - 1 - u) + phase / across.stride;
          const int64_t j = across.stride * (across.taps() - 1 - v) + phase % across.stride;
          if (i >= down.kernel || j >= across.kernel) continue;  // stays 0
          to[at] = from[static_cast<size_t>(((c * p.out_channels + m) * down.kernel + i) * across.kernel + j)];
        }
      }
    }
  }
  return made;
}

class PhasedKernel : public DnnlKernel {
 public:
  PhasedKernel(const KernelRequest& request, const Phases& phases, const convolution_forward::primitive_desc& desc,
               ChannelOrder order)
      : p_(phases), order_(order) {
    set_primitive(convolution_forward(desc));
    add_input(DNNL_ARG_SRC, desc.src_desc(), request.inputs[0].shape);
    add_held(DNNL_ARG_WEIGHTS, weights_of(request, desc.weights_desc()));
    if (request.inputs.size() > 2) {
      bias_ = request.constants.plain(request.inputs[2].value);
      input_layouts.push_back(nullptr);
      held.push_back(true);
    }
    set_output(desc.dst_desc(), p_.result());
    set_scratch(desc.scratchpad_desc());
    phases_bytes_ = (output_bytes + 63) / 64 * 64;
    scratch_bytes += phases_bytes_;
    output_layout = nullptr;
    output_bytes = request.output.plain_bytes();
  }

  void bind(std::span<void* const> inputs, void* output, void* scratch) override {
    phases_ = static_cast<const float*>(scratch);
    y_ = static_cast<float*>(output);
    DnnlKernel::bind(inputs, scratch, static_cast<char*>(scratch) + phases_bytes_);
  }

  void run() override {
    DnnlKernel::run();
    const int64_t lines = p_.rows * p_.out_channels * p_.axes[0].output;
    parallel_for(lines, 16, [this](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) write_line(line);
    });
  }

 private:
  dnnl::memory weights_of(const KernelRequest& request, const Desc& wanted) const {
    const Value weight = request.inputs[1].value;
    request.constants.plain(weight);  // stays: it cannot be had back from the phases in all layouts
    const auto pack = [&](const Tensor& plain) -> ConstantStore::Packed {
      Tensor made = phased_weight(plain, p_);
      auto packed = std::make_shared<dnnl::memory>(wanted, dnnl_engine());
      dnnl::memory source(plain_desc(p_.weight()), dnnl_engine(), made.mutable_data<float>().data());
      dnnl::reorder(source, *packed).execute(dnnl_stream(), source, *packed);
      return packed;
    };
    const auto unpack = [](const ConstantStore::Packed&) -> Tensor {
      fail(ErrorKind::internal, "phased_transpose", "the original filter is gone");
    };
    const auto& [down, across] = p_.axes;
    const std::string key = fmt::format("phased {} {} {} {}", down.stride, across.stride, down.before, across.before) +
                            (order_.last ? " last" : fmt::format(" {}", order_.block));
    return *std::static_pointer_cast<const dnnl::memory>(
        request.constants.packed(weight, key, wanted.get_size(), pack, unpack));
  }

  void write_line(int64_t line) const {
    const auto& [down, across] = p_.axes;
    const int64_t o = line % down.output, m = line / down.output % p_.out_channels;
    const int64_t row = line / (down.output * p_.out_channels);
    const int64_t q = (o + down.before) / down.stride - down.first(), phase = (o + down.before) % down.stride;
    const float bias = bias_.empty() ? 0.0F : bias_.data<float>()[static_cast<size_t>(m)];
    const int64_t height = down.count(), width = across.count();
    const int64_t block = order_.last ? p_.channels() : order_.block;
    const int64_t blocks = (p_.channels() + block - 1) / block;
    float* y = y_ + line * across.output;
    for (int64_t r = 0; r < across.stride; ++r) {
      const int64_t channel = (m * down.stride + phase) * across.stride + r;
      const float* from = phases_ + (((row * blocks + channel / block) * height + q) * width) * block + channel % block;
      // The first output of this phase.
      const int64_t start = (r - across.before % across.stride + across.stride) % across.stride;
      int64_t at = (start + across.before) / across.stride - across.first();
      for (int64_t x = start; x < across.output; x += across.stride, ++at) y[x] = from[at * block] + bias;
    }
  }

  Phases p_;
  ChannelOrder order_;
  Tensor bias_;
  size_t phases_bytes_ = 0;
  const float* phases_ = nullptr;
  float* y_ = nullptr;
};

std::optional<Phases> phases_of(const KernelRequest& request) {
  const Shape &x = request.inputs[0].shape, &weight = request.inputs[1].shape, &y = request.output.shape;
  const Attributes& a = request.attributes;
  if (x.size() != 4 || a.integer("group") != 1) return std::nullopt;
  const auto strides = a.integers("strides"), pads = a.integers("pads"), dilations = a.integers("dilations");
  Phases p{{}, x[0], x[1], weight[1]};
  for (size_t d = 0; d < 2; ++d) {
    p.axes[d] = {x[d + 2], y[d + 2], weight[d + 2], strides[d], pads[d]};
    const Axis& axis = p.axes[d];
    if (dilations[d] != 1 || axis.before < 0 || axis.pad_begin() < 0 || axis.pad_end() < 0) return std::nullopt;
  }
  return p;
}

}  // namespace

std::unique_ptr<Kernel> make_phased_transpose(const KernelRequest& request) {
  const auto p = phases_of(request);
  if (!p || !pays(*p)) return nullptr;
  const Axis &down = p->axes[0], &across = p->axes[1];
  const dnnl::primitive_attr attr = unary_post_ops({}).attr;
  try {
    const auto desc = described_as_it_lies(request.inputs[0], [&](const Desc& source) {
      const convolution_forward::desc wanted(
          dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, source, any_desc(p->weight()),
          any_desc(p->result()), {1, 1}, {down.pad_begin(), across.pad_begin()}, {down.pad_end(), across.pad_end()});
      return convolution_forward::primitive_desc(wanted, attr, dnnl_engine());
    });
    const auto order = channel_order(layout_of(desc.dst_desc(), p->result()), p->result());
    if (!order || !is_generated(desc.impl_info_str())) return nullptr;
    return std::make_unique<PhasedKernel>(request, *p, desc, *order);
  } catch (const dnnl::error&) {
    return nullptr;  // oneDNN has no such convolution
  }
}

}  // namespace ascribe::core
