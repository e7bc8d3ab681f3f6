// normalize over the trailing axes (layer normalization) in float32 on oneDNN.
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core::kernel_normalize_f32 {
namespace {

class NormalizeKernel : public DnnlKernel {
 public:
  NormalizeKernel(const KernelRequest& request, int64_t inner) {
    const auto matrix = plain_desc({request.output.size() / inner, inner});
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::layer_normalization_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, matrix, static_cast<float>(request.attributes.real("epsilon")),
         dnnl::normalization_flags::none},
        attr, dnnl_engine());
    set_primitive(dnnl::layer_normalization_forward(desc));
    add_plain(DNNL_ARG_SRC, matrix);
    set_plain_output(matrix);
    set_scratch(desc.scratchpad_desc());
    in_place = 0;
    careless = true;
  }
};

std::unique_ptr<Kernel> make_normalize(const KernelRequest& request) {
  const Shape& shape = request.output.shape;
  const auto axes = request.attributes.integers("axes");
  if (request.output.size() == 0 || axes.empty()) return nullptr;
  int64_t inner = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = shape.size() - axes.size() + i;
    if (axes[i] != static_cast<int64_t>(axis)) return nullptr;
    inner *= shape[axis];
  }
  return std::make_unique<NormalizeKernel>(request, inner);
}

const RegisterKernel kernel("normalize", DType::f32, make_normalize);

}  // namespace
}  // namespace ascribe::core::kernel_normalize_f32
