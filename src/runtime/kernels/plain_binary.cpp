#include "runtime/kernels/plain_binary.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/parallel.h"
#include "runtime/kernels/lines.h"
#include "runtime/kernels/select.h"

namespace ascribe::core {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk

template <class T, class F>
class PlainBinaryKernel : public Kernel {
 public:
  PlainBinaryKernel(const KernelRequest& request, Lines lines, const LayoutPtr& layout) : lines_(std::move(lines)) {
    input_layouts = {request.inputs[0].layout ? layout : nullptr, request.inputs[1].layout ? layout : nullptr};
    held.assign(2, false);
    output_layout = layout;
    output_bytes = bytes_in(layout, request.output.plain_bytes());
    if (request.inputs[0].shape == request.output.shape) in_place = 0;
    else if (request.inputs[1].shape == request.output.shape) in_place = 1;
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    a_ = static_cast<const T*>(inputs[0]);
    b_ = static_cast<const T*>(inputs[1]);
    y_ = static_cast<T*>(output);
  }

  void run() override {
    if (lines_.count() <= kElements) walk(0, lines_.count());
    else parallel_for(lines_.count(), kElements, [this](int64_t begin, int64_t end) { walk(begin, end); });
  }

 private:
  void walk(int64_t begin, int64_t end) const {
    lines_.for_each(begin, end, [&](int64_t first, int64_t count, std::span<const int64_t> offsets) {
      line(a_ + offsets[0], lines_.step(0), b_ + offsets[1], lines_.step(1), y_ + first, count);
    });
  }

  static void line(const T* a, int64_t step_a, const T* b, int64_t step_b, T* y, int64_t count) {
    const F f;
    if (step_a != 0 && step_b != 0) {
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) y[i] = f(a[i], b[i]);
    } else if (step_a != 0) {
      const T fixed = *b;
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) y[i] = f(a[i], fixed);
    } else if (step_b != 0) {
      const T fixed = *a;
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) y[i] = f(fixed, b[i]);
    } else {
      std::fill_n(y, count, f(*a, *b));
    }
  }

  Lines lines_;
  const T *a_ = nullptr, *b_ = nullptr;
  T* y_ = nullptr;
};

struct Gate {
  template <class T>
  T operator()(T x, T choice) const {
    return keep_if(!(choice <= 0), x);
  }
};

template <class F>
std::unique_ptr<Kernel> make(const KernelRequest& request, Lines lines, const LayoutPtr& layout) {
  if (request.output.dtype == DType::f32)
    return std::make_unique<PlainBinaryKernel<float, F>>(request, std::move(lines), layout);
  return std::make_unique<PlainBinaryKernel<double, F>>(request, std::move(lines), layout);
}

}  // namespace

std::unique_ptr<Kernel> make_plain_binary(const KernelRequest& request) {
  const Operand &a = request.inputs[0], &b = request.inputs[1], &out = request.output;
  if (out.size() == 0) return nullptr;
  LayoutPtr layout;
  Lines lines(std::array{a.shape, b.shape}, out.shape);
  if ((a.layout && b.size() == 1) || (b.layout && a.size() == 1)) {
    const Operand& large = a.layout ? a : b;
    if (large.size() != out.size() || bytes_in(large.layout, 0) != out.plain_bytes()) return nullptr;
    layout = large.layout;
    lines = Lines(out.size(), {a.layout ? 1 : 0, b.layout ? 1 : 0});
  }
  const std::string& name = request.op.name;
  if (name == "add") return make<std::plus<>>(request, std::move(lines), layout);
  if (name == "sub") return make<std::minus<>>(request, std::move(lines), layout);
  if (name == "mul") return make<std::multiplies<>>(request, std::move(lines), layout);
  if (name == "div") return make<std::divides<>>(request, std::move(lines), layout);
  if (name == "gate") return make<Gate>(request, std::move(lines), layout);
  return nullptr;
}

namespace {

const RegisterKernel div_f32("div", DType::f32, make_plain_binary);
const RegisterKernel add_f64("add", DType::f64, make_plain_binary);
const RegisterKernel sub_f64("sub", DType::f64, make_plain_binary);
const RegisterKernel mul_f64("mul", DType::f64, make_plain_binary);
const RegisterKernel div_f64("div", DType::f64, make_plain_binary);
const RegisterKernel gate_f64("gate", DType::f64, make_plain_binary);

}  // namespace
}  // namespace ascribe::core
