// Transposed convolution in float32: oneDNN's deconvolution, with packed weights and
// fused bias and activation like its sibling.
#include "runtime/kernels/dnnl_support.h"
#include "runtime/kernels/phased_transpose.h"
#include "runtime/kernels/winograd_f32.h"

namespace ascribe::core::kernel_conv_transpose_f32 {
namespace {

using Desc = dnnl::memory::desc;
using dnnl::deconvolution_forward;

// ONNX stores [C, M / group, k...]; oneDNN wants [group, M / group, C / group, k...].
Desc weight_view(const Shape& stored, int64_t group) {
  Shape shape = {stored[1], stored[0] / group};
  const auto own = strides_of(stored);
  dnnl::memory::dims strides = {own[1], own[0]};
  if (group > 1) {
    shape.insert(shape.begin(), group);
    strides.insert(strides.begin(), own[0] * (stored[0] / group));
  }
  shape.insert(shape.end(), stored.begin() + 2, stored.end());
  strides.insert(strides.end(), own.begin() + 2, own.end());
  return {shape, dnnl::memory::data_type::f32, strides};
}

deconvolution_forward::primitive_desc describe(const KernelRequest& request, const Desc& view,
                                               const dnnl::primitive_attr& attr) {
  dnnl::memory::dims dilations, begins, ends;
  const auto pads = request.attributes.integers("pads"), extra = request.attributes.integers("output_padding");
  const size_t spatial = extra.size();
  for (const int64_t d : request.attributes.integers("dilations")) dilations.push_back(d - 1);
  for (size_t d = 0; d < spatial; ++d) {
    begins.push_back(pads[d]);
    ends.push_back(pads[d + spatial] - extra[d]);
  }
  const Desc weight = any_desc(view.dims());
  const auto strides = request.attributes.integers("strides");
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::deconvolution_direct;
  return described_as_it_lies(request.inputs[0], [&](const Desc& source) -> deconvolution_forward::primitive_desc {
    // oneDNN does not conclude from the source that channels come last in the result.
    const Shape& result = request.output.shape;
    const bool any = source == any_desc(request.inputs[0].shape);
    const Desc target = any ? any_desc(result) : layout_in({1, true}, result)->desc;
    const auto desc =
        request.inputs.size() > 2
            ? deconvolution_forward::desc(kind, algorithm, source, weight, plain_desc(request.inputs[2].shape), target,
                                          strides, dilations, begins, ends)
            : deconvolution_forward::desc(kind, algorithm, source, weight, target, strides, dilations, begins, ends);
    return {desc, attr, dnnl_engine()};
  });
}

class ConvTransposeKernel : public DnnlKernel {
 public:
  explicit ConvTransposeKernel(const KernelRequest& request) {
    const Desc view = weight_view(request.inputs[1].shape, request.attributes.integer("group"));
    const PostOps post = unary_post_ops(request.followers);
    const auto desc = describe(request, view, post.attr);
    absorbed = post.absorbed;
    careless = post.careless;
    set_primitive(deconvolution_forward(desc));
    add_input(DNNL_ARG_SRC, desc.src_desc(), request.inputs[0].shape);
    add_held(DNNL_ARG_WEIGHTS, packed_weight(request.constants, request.inputs[1].value, view, desc.weights_desc()));
    if (request.inputs.size() > 2) {
      const Desc plain = plain_desc(request.inputs[2].shape);
      add_held(DNNL_ARG_BIAS, packed_weight(request.constants, request.inputs[2].value, plain, plain));
    }
    set_output(desc.dst_desc(), request.output.shape);
    set_scratch(desc.scratchpad_desc());
  }
};

std::unique_ptr<Kernel> make_conv_transpose(const KernelRequest& request) {
  const size_t rank = request.inputs[0].shape.size();
  if (rank < 3 || rank > 5 || request.output.size() == 0 || request.inputs[0].size() == 0) return nullptr;
  for (size_t i = 1; i < request.inputs.size(); ++i) {
    if (!request.inputs[i].constant) return nullptr;
  }
  if (auto winograd = make_winograd(request)) return winograd;
  if (auto phased = make_phased_transpose(request)) return phased;
  return std::make_unique<ConvTransposeKernel>(request);
}

const RegisterKernel kernel("conv_transpose", DType::f32, make_conv_transpose);

}  // namespace
}  // namespace ascribe::core::kernel_conv_transpose_f32
