// softmax and log_softmax in float32 on oneDNN.
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core::kernel_softmax_f32 {
namespace {

class SoftmaxKernel : public DnnlKernel {
 public:
  SoftmaxKernel(const KernelRequest& request, dnnl::algorithm algorithm) {
    const auto shape = plain_desc(request.output.shape);
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const int axis = static_cast<int>(request.attributes.integer("axis"));
    const dnnl::softmax_v2_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, algorithm, shape, shape, axis}, attr, dnnl_engine());
    set_primitive(dnnl::softmax_v2_forward(desc));
    add_plain(DNNL_ARG_SRC, shape);
    set_plain_output(shape);
    set_scratch(desc.scratchpad_desc());
    in_place = 0;
    careless = true;
  }
};

std::unique_ptr<Kernel> make_softmax(const KernelRequest& request) {
  if (request.output.size() == 0 || request.output.shape.size() > 6) return nullptr;
  const bool logarithm = request.op.name == "log_softmax";
  return std::make_unique<SoftmaxKernel>(request,
                                         logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate);
}

const RegisterKernel softmax("softmax", DType::f32, make_softmax);
const RegisterKernel log_softmax("log_softmax", DType::f32, make_softmax);

}  // namespace
}  // namespace ascribe::core::kernel_softmax_f32
