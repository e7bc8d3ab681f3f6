#include "runtime/kernels/plain_binary.h"

#include <algorithm>
#include <functional>

#include "base/parallel.h"

namespace ascribe {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk

// One axis of the result and how far each operand moves along it: 0 where it is broadcast.
struct Axis {
  int64_t extent = 1, a = 0, b = 0;
};

// How an operand of `shape` is walked: strides of its own, 0 on axes that it lacks or has as 1.
std::vector<int64_t> walk_of(const Shape& shape, const Shape& result) {
  const auto own = strides_of(shape);
  const size_t missing = result.size() - shape.size();
  std::vector<int64_t> walk(result.size(), 0);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1) walk[axis + missing] = own[axis];
  }
  return walk;
}

// The axes of the result, neighbours joined where both operands walk over them as over one. At least one axis; along
// the last one every operand moves by 1 or stands still.
std::vector<Axis> joined_axes(const Shape& a, const Shape& b, const Shape& result) {
  const auto walk_a = walk_of(a, result), walk_b = walk_of(b, result);
  std::vector<Axis> axes;
  for (size_t i = 0; i < result.size(); ++i) {
    const Axis axis{result[i], walk_a[i], walk_b[i]};
    if (axis.extent == 1) continue;
    if (!axes.empty() && axes.back().a == axis.a * axis.extent && axes.back().b == axis.b * axis.extent) {
      axes.back() = {axes.back().extent * axis.extent, axis.a, axis.b};
    } else {
      axes.push_back(axis);
    }
  }
  if (axes.empty()) axes.emplace_back();
  return axes;
}

template <class T, class F>
class PlainBinaryKernel : public Kernel {
 public:
  PlainBinaryKernel(const KernelRequest& request, std::vector<Axis> axes, const LayoutPtr& layout)
      : axes_(std::move(axes)), count_(request.output.size()) {
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
    if (count_ <= kElements) walk(0, count_);
    else parallel_for(count_, kElements, [this](int64_t begin, int64_t end) { walk(begin, end); });
  }

 private:
  void walk(int64_t begin, int64_t end) const {
    const Axis& last = axes_.back();
    while (begin < end) {
      int64_t row = begin / last.extent;
      const int64_t column = begin % last.extent;
      const int64_t count = std::min(last.extent - column, end - begin);
      const T *a = a_ + column * last.a, *b = b_ + column * last.b;
      for (size_t i = axes_.size() - 1; i-- > 0; row /= axes_[i].extent) {
        a += row % axes_[i].extent * axes_[i].a;
        b += row % axes_[i].extent * axes_[i].b;
      }
      line(a, last.a, b, last.b, y_ + begin, count);
      begin += count;
    }
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

  std::vector<Axis> axes_;
  int64_t count_;
  const T *a_ = nullptr, *b_ = nullptr;
  T* y_ = nullptr;
};

struct Gate {
  template <class T>
  T operator()(T x, T choice) const {
    return choice <= 0 ? T{0} : x;
  }
};

template <class F>
std::unique_ptr<Kernel> make(const KernelRequest& request, std::vector<Axis> axes, const LayoutPtr& layout) {
  if (request.output.dtype == DType::f32)
    return std::make_unique<PlainBinaryKernel<float, F>>(request, std::move(axes), layout);
  return std::make_unique<PlainBinaryKernel<double, F>>(request, std::move(axes), layout);
}

}  // namespace

std::unique_ptr<Kernel> make_plain_binary(const KernelRequest& request) {
  const Operand &a = request.inputs[0], &b = request.inputs[1], &out = request.output;
  if (out.size() == 0) return nullptr;
  LayoutPtr layout;
  std::vector<Axis> axes;
  if ((a.layout && b.size() == 1) || (b.layout && a.size() == 1)) {
    const Operand& large = a.layout ? a : b;
    if (large.size() != out.size() || bytes_in(large.layout, 0) != out.plain_bytes()) return nullptr;
    layout = large.layout;
    axes = {{out.size(), a.layout ? 1 : 0, b.layout ? 1 : 0}};
  } else {
    axes = joined_axes(a.shape, b.shape, out.shape);
  }
  const std::string& name = request.op.name;
  if (name == "add") return make<std::plus<>>(request, std::move(axes), layout);
  if (name == "sub") return make<std::minus<>>(request, std::move(axes), layout);
  if (name == "mul") return make<std::multiplies<>>(request, std::move(axes), layout);
  if (name == "div") return make<std::divides<>>(request, std::move(axes), layout);
  if (name == "gate") return make<Gate>(request, std::move(axes), layout);
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
}  // namespace ascribe
