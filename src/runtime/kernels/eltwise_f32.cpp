// Unary functions in float32 on oneDNN, in whatever layout the operand has: oneDNN
// keeps the padding of blocked channels zero.
#include "runtime/kernels/dnnl_support.h"

namespace ascribe::core {
namespace {

class EltwiseKernel : public DnnlKernel {
 public:
  EltwiseKernel(const KernelRequest& request, const Eltwise& eltwise) {
    const auto desc = desc_of(request.inputs[0]);
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::eltwise_forward::primitive_desc primitive(
        {dnnl::prop_kind::forward_inference, eltwise.algorithm, desc, eltwise.alpha, eltwise.beta}, attr,
        dnnl_engine());
    set_primitive(dnnl::eltwise_forward(primitive));
    add_input(DNNL_ARG_SRC, desc, request.inputs[0].shape);
    set_output(desc, request.output.shape);
    set_scratch(primitive.scratchpad_desc());
    in_place = 0;
  }
};

std::unique_ptr<Kernel> make_eltwise(const KernelRequest& request) {
  if (request.output.size() == 0) return nullptr;
  const auto eltwise = eltwise_of(request.op, request.attributes);
  return eltwise ? std::make_unique<EltwiseKernel>(request, *eltwise) : nullptr;
}

const bool registered = [] {
  for (const EltwiseForm& form : eltwise_forms()) RegisterKernel(form.op, DType::f32, make_eltwise);
  return true;
}();

}  // namespace
}  // namespace ascribe::core
