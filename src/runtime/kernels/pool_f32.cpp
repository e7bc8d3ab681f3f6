// Max and average pooling in float32 on oneDNN.
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core::kernel_pool_f32 {
namespace {

using dnnl::pooling_v2_forward;

struct Window {
  dnnl::algorithm algorithm;
  dnnl::memory::dims kernel, strides, dilations, pads_begin, pads_end;
};

class PoolKernel : public DnnlKernel {
 public:
  PoolKernel(const KernelRequest& request, const Window& window) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto source = desc_of(request.inputs[0]);
    const auto target = any_desc(request.output.shape);
    const pooling_v2_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, window.algorithm, source, target, window.strides, window.kernel,
         window.dilations, window.pads_begin, window.pads_end},
        attr, dnnl_engine());
    set_primitive(pooling_v2_forward(desc));
    add_input(DNNL_ARG_SRC, source, request.inputs[0].shape);
    set_output(desc.dst_desc(), request.output.shape);
    set_scratch(desc.scratchpad_desc());
    careless = window.algorithm == dnnl::algorithm::pooling_max;
  }
};

std::unique_ptr<Kernel> make_pool(const KernelRequest& request) {
  const Shape &in = request.inputs[0].shape, &out = request.output.shape;
  if (in.size() < 3 || in.size() > 5 || request.output.size() == 0) return nullptr;
  const bool average = request.op.name == "average_pool";
  const bool with_padding = average && request.attributes.flag("count_include_pad");
  Window window;
  window.algorithm = !average       ? dnnl::algorithm::pooling_max
                     : with_padding ? dnnl::algorithm::pooling_avg_include_padding
                                    : dnnl::algorithm::pooling_avg_exclude_padding;
  window.kernel = request.attributes.integers("kernel");
  window.strides = request.attributes.integers("strides");
  for (const int64_t d : request.attributes.integers("dilations")) window.dilations.push_back(d - 1);
  const auto pads = request.attributes.integers("pads");
  const size_t spatial = window.kernel.size();
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t extent = (window.kernel[d] - 1) * (window.dilations[d] + 1) + 1;
    // What the last window needs: more than declared where the size was rounded up.
    const int64_t end = (out[d + 2] - 1) * window.strides[d] + extent - in[d + 2] - pads[d];
    if (end > pads[d + spatial] && with_padding) return nullptr;
    if (pads[d] >= extent || end >= extent) return nullptr;
    window.pads_begin.push_back(pads[d]);
    window.pads_end.push_back(std::max(end, pads[d + spatial]));
  }
  return std::make_unique<PoolKernel>(request, window);
}

const RegisterKernel max_pool("max_pool", DType::f32, make_pool);
const RegisterKernel average_pool("average_pool", DType::f32, make_pool);

}  // namespace
}  // namespace ascribe::core::kernel_pool_f32
