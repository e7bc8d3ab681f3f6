// gate in float32: both operands in one layout, element by element, in place. The padding of blocked
// channels stays zero because x's is zero.
#include <algorithm>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"
#include "runtime/kernels/plain_binary.h"
#include "runtime/kernels/select.h"

namespace ascribe::core::kernel_gate_f32 {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk

class GateKernel : public Kernel {
 public:
  GateKernel(const Operand& x, const LayoutPtr& layout) {
    input_layouts = {layout, layout};
    held.assign(2, false);
    output_layout = layout;
    output_bytes = bytes_in(layout, x.plain_bytes());
    in_place = 0;
    count_ = static_cast<int64_t>(output_bytes / sizeof(float));
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const float*>(inputs[0]);
    choice_ = static_cast<const float*>(inputs[1]);
    y_ = static_cast<float*>(output);
  }

  void run() override {
    parallel_for(count_, kElements, [this](int64_t begin, int64_t end) {
      const float *x = x_, *choice = choice_;
      float* y = y_;
#pragma omp simd
      for (int64_t i = begin; i < end; ++i) y[i] = keep_if(!(choice[i] <= 0.0F), x[i]);
    });
  }

 private:
  int64_t count_ = 0;
  const float *x_ = nullptr, *choice_ = nullptr;
  float* y_ = nullptr;
};

std::unique_ptr<Kernel> make_gate(const KernelRequest& request) {
  const Operand &x = request.inputs[0], &choice = request.inputs[1];
  if (x.size() == 0) return nullptr;
  if (x.shape != choice.shape) return make_plain_binary(request);
  // Whichever is blocked decides: what reads the result is most likely a convolution.
  return std::make_unique<GateKernel>(x, x.layout ? x.layout : choice.layout);
}

const RegisterKernel kernel("gate", DType::f32, make_gate);

}  // namespace
}  // namespace ascribe::core::kernel_gate_f32
