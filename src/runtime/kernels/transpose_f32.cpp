// Transposes in float32: oneDNN copies between two orders of the axes.
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core::kernel_transpose_f32 {
namespace {

class TransposeKernel : public DnnlKernel {
 public:
  explicit TransposeKernel(const KernelRequest& request) {
    const auto own = strides_of(request.inputs[0].shape);
    dnnl::memory::dims strides;
    for (const int64_t axis : request.attributes.integers("perm")) strides.push_back(own[axis]);
    const Shape& shape = request.output.shape;
    const dnnl::memory::desc from(shape, dnnl::memory::data_type::f32, strides), to = plain_desc(shape);
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc desc(dnnl_engine(), from, dnnl_engine(), to, attr);
    set_primitive(dnnl::reorder(desc));
    add_plain(DNNL_ARG_FROM, from);
    set_plain_output(to);
    set_scratch(desc.scratchpad_desc());
  }
};

std::unique_ptr<Kernel> make_transpose(const KernelRequest& request) {
  const size_t rank = request.output.shape.size();
  if (request.output.size() == 0 || rank < 2 || rank > 6) return nullptr;
  return std::make_unique<TransposeKernel>(request);
}

const RegisterKernel kernel("transpose", DType::f32, make_transpose);

}  // namespace
}  // namespace ascribe::core::kernel_transpose_f32
