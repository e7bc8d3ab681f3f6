// neg in either precision, in whatever layout the operand has, in place.
#include "base/parallel.h"
#include "runtime/kernels/kernel.h"

namespace ascribe::core::kernel_neg {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk

template <class T>
class NegKernel : public Kernel {
 public:
  explicit NegKernel(const Operand& x) {
    input_layouts = {x.layout};
    held.assign(1, false);
    output_layout = x.layout;
    output_bytes = bytes_in(x.layout, x.plain_bytes());
    in_place = 0;
    count_ = static_cast<int64_t>(output_bytes / sizeof(T));
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const T*>(inputs[0]);
    y_ = static_cast<T*>(output);
  }

  void run() override {
    parallel_for(count_, kElements, [this](int64_t begin, int64_t end) {
      const T* x = x_;
      T* y = y_;
#pragma omp simd
      for (int64_t i = begin; i < end; ++i) y[i] = -x[i];
    });
  }

 private:
  int64_t count_ = 0;
  const T* x_ = nullptr;
  T* y_ = nullptr;
};

std::unique_ptr<Kernel> make_neg(const KernelRequest& request) {
  const Operand& x = request.inputs[0];
  if (x.size() == 0) return nullptr;
  if (x.dtype == DType::f32) return std::make_unique<NegKernel<float>>(x);
  return std::make_unique<NegKernel<double>>(x);
}

const RegisterKernel single("neg", DType::f32, make_neg);
const RegisterKernel twofold("neg", DType::f64, make_neg);

}  // namespace
}  // namespace ascribe::core::kernel_neg
