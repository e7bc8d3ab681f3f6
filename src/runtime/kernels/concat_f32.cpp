// Concatenation of blocked tensors along the channels, as DenseNet and Inception do.
#include "runtime/kernels/dnnl_support.h"

namespace ascribe {
namespace {

class ConcatKernel : public DnnlKernel {
 public:
  ConcatKernel(const KernelRequest& request, int axis) {
    std::vector<dnnl::memory::desc> parts;
    for (const Operand& input : request.inputs) parts.push_back(desc_of(input));
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::concat::primitive_desc desc(axis, parts, dnnl_engine(), attr);
    set_primitive(dnnl::concat(desc));
    for (size_t i = 0; i < parts.size(); ++i) {
      add_input(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), parts[i], request.inputs[i].shape);
    }
    set_output(desc.dst_desc(), request.output.shape);
    set_scratch(desc.scratchpad_desc());
  }
};

std::unique_ptr<Kernel> make_concat(const KernelRequest& request) {
  if (request.output.dtype != DType::f32 || request.output.size() == 0) return nullptr;
  bool blocked = false;
  for (const Operand& input : request.inputs) {
    blocked = blocked || input.layout;
    if (input.size() == 0) return nullptr;
  }
  if (!blocked) return nullptr;
  return std::make_unique<ConcatKernel>(request, static_cast<int>(request.attributes.integer("axis")));
}

const RegisterKernel kernel("concat", DType::f32, make_concat);

}  // namespace
}  // namespace ascribe
