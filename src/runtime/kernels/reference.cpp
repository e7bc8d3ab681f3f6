#include "runtime/kernels/reference.h"

namespace ascribe::core {

namespace {

class ReferenceKernel : public Kernel {
 public:
  explicit ReferenceKernel(const KernelRequest& request)
      : op_(request.op), attributes_(request.attributes), output_{request.output.dtype, request.output.shape, nullptr} {
    for (const Operand& input : request.inputs) inputs_.push_back({input.dtype, input.shape, nullptr});
    input_layouts.resize(inputs_.size());
    held.resize(inputs_.size(), false);
    const bool alike = inputs_.size() == 1 && inputs_[0].shape == output_.shape && inputs_[0].dtype == output_.dtype;
    if (alike && op_.traits.pointwise) in_place = 0;
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i].memory = inputs[i];
    output_.memory = output;
  }

  void run() override { op_.apply({inputs_, output_, attributes_}); }

 private:
  const Op& op_;
  Attributes attributes_;
  std::vector<TensorRef> inputs_;
  TensorRef output_;
};

}  // namespace

std::unique_ptr<Kernel> make_reference_kernel(const KernelRequest& request) {
  return std::make_unique<ReferenceKernel>(request);
}

}  // namespace ascribe::core
