// share and secant (graph/ops) in one walk over memory, in either precision and in whatever layout their operands
// have. The padding of blocked channels stays zero: it is zero in r and in the tangent.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/select.h"

namespace ascribe::core::kernel_relevance {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk

// An operation on operands of one shape, all brought into the layout of the first that is not row-major.
template <class T, class F>
class AlikeKernel : public Kernel {
 public:
  AlikeKernel(const KernelRequest& request, F f) : f_(f) {
    LayoutPtr layout;
    for (const Operand& input : request.inputs) {
      if (!layout) layout = input.layout;
    }
    input_layouts.assign(request.inputs.size(), layout);
    held.assign(request.inputs.size(), false);
    output_layout = layout;
    output_bytes = bytes_in(layout, request.output.plain_bytes());
    count_ = static_cast<int64_t>(output_bytes / sizeof(T));
    in_place = 0;
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    for (size_t i = 0; i < F::kOperands; ++i)
      inputs_[i] = static_cast<const T*>(inputs[std::min(i, inputs.size() - 1)]);
    y_ = static_cast<T*>(output);
  }

  void run() override {
    parallel_for(count_, kElements, [this](int64_t begin, int64_t end) { f_.walk(inputs_, y_, begin, end); });
  }

 private:
  F f_;
  int64_t count_ = 0;
  std::array<const T*, F::kOperands> inputs_{};
  T* y_ = nullptr;
};

// A divisor where the quotient is taken: 0 / 0 would raise the flag by which NaN is found (base/invalid_operations.h).
template <class T>
T or_one(bool taken, T divisor) {
  return select(taken, divisor, T{1});
}

template <class T, bool factored, bool guarded>
struct Share {
  static constexpr size_t kOperands = 3;
  T scale, epsilon;

  void walk(const std::array<const T*, 3>& in, T* out, int64_t begin, int64_t end) const {
    const T *r = in[0], *z = in[1], *y = in[2];
    const T factor = scale, small = epsilon;
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      T given = factor * r[i];
      if constexpr (factored) given *= y[i];
      const T divisor = z[i] + std::copysign(small, z[i] + T{0});
      out[i] = guarded ? keep_if(z[i] != 0, given / or_one(z[i] != 0, divisor)) : given / divisor;
    }
  }
};

template <class T>
struct Secant {
  static constexpr size_t kOperands = 6;
  T absolute, relative;

  void walk(const std::array<const T*, 6>& in, T* out, int64_t begin, int64_t end) const {
    const T *g = in[0], *y = in[1], *y_b = in[2], *x = in[3], *x_b = in[4], *tangent = in[5];
    const T least = absolute, part = relative;
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const T dx = x[i] - x_b[i], near = part * (std::abs(x[i]) + std::abs(x_b[i]));
      const bool apart = std::abs(dx) > (near > least ? near : least);
      out[i] = select(apart, g[i] * ((y[i] - y_b[i]) / or_one(apart, dx)), tangent[i]);
    }
  }
};

// The slope of relu.
template <class T>
struct ReluSecant {
  static constexpr size_t kOperands = 3;

  void walk(const std::array<const T*, 3>& in, T* out, int64_t begin, int64_t end) const {
    const T *g = in[0], *x = in[1], *x_b = in[2];
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const T dx = x[i] - x_b[i], dy = keep_if(x[i] > 0, x[i]) - keep_if(x_b[i] > 0, x_b[i]);
      out[i] = select(dx != 0, g[i] * (dy / or_one(dx != 0, dx)), keep_if(x[i] > 0, g[i]));
    }
  }
};

template <class T, class F>
std::unique_ptr<Kernel> alike(const KernelRequest& request, F f) {
  return std::make_unique<AlikeKernel<T, F>>(request, f);
}

template <class T>
std::unique_ptr<Kernel> make_share(const KernelRequest& request) {
  if (request.output.size() == 0) return nullptr;
  const T scale = static_cast<T>(request.attributes.real("scale"));
  const T epsilon = static_cast<T>(request.attributes.real("epsilon"));
  const bool factored = request.inputs.size() > 2, guarded = request.attributes.flag("guarded");
  // In padding both r and z are 0, and without epsilon their quotient would be no number.
  const auto padded = [&](const Operand& input) {
    return bytes_in(input.layout, input.plain_bytes()) != input.plain_bytes();
  };
  if (epsilon == 0 && !guarded && std::any_of(request.inputs.begin(), request.inputs.end(), padded)) return nullptr;
  if (factored && guarded) return alike<T>(request, Share<T, true, true>{scale, epsilon});
  if (factored) return alike<T>(request, Share<T, true, false>{scale, epsilon});
  if (guarded) return alike<T>(request, Share<T, false, true>{scale, epsilon});
  return alike<T>(request, Share<T, false, false>{scale, epsilon});
}

template <class T>
std::unique_ptr<Kernel> make_secant(const KernelRequest& request) {
  if (request.output.size() == 0) return nullptr;
  if (request.inputs.size() == 3) return alike<T>(request, ReluSecant<T>{});
  return alike<T>(request, Secant<T>{static_cast<T>(request.attributes.real("absolute")),
                                     static_cast<T>(request.attributes.real("relative"))});
}

const RegisterKernel share_f32("share", DType::f32, make_share<float>);
const RegisterKernel share_f64("share", DType::f64, make_share<double>);
const RegisterKernel secant_f32("secant", DType::f32, make_secant<float>);
const RegisterKernel secant_f64("secant", DType::f64, make_secant<double>);

}  // namespace
}  // namespace ascribe::core::kernel_relevance
