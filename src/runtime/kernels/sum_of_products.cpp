// sum over j of weights[j] a_j b_j in either precision, tile by tile along the lines that all operands share.
#include <algorithm>

#include "base/parallel.h"
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/lines.h"

namespace ascribe::core::kernel_sum_of_products {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk
constexpr int64_t kTile = 1 << 10;      // sums that stay in the first cache

template <class T>
class SumOfProductsKernel : public Kernel {
 public:
  SumOfProductsKernel(const KernelRequest& request, Lines lines) : lines_(std::move(lines)) {
    for (const double weight : request.attributes.reals("weights")) weights_.push_back(static_cast<T>(weight));
    input_layouts.resize(request.inputs.size());
    held.assign(request.inputs.size(), false);
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    inputs_.clear();
    for (const void* input : inputs) inputs_.push_back(static_cast<const T*>(input));
    y_ = static_cast<T*>(output);
  }

  void run() override {
    const int64_t grain = std::max<int64_t>(kElements / std::ssize(weights_), kTile);
    parallel_for(lines_.count(), grain, [this](int64_t begin, int64_t end) {
      lines_.for_each(begin, end, [&](int64_t first, int64_t count, std::span<const int64_t> offsets) {
        for (int64_t at = 0; at < count; at += kTile) tile(first, at, std::min(kTile, count - at), offsets);
      });
    });
  }

 private:
  void tile(int64_t first, int64_t at, int64_t count, std::span<const int64_t> offsets) const {
    T* y = y_ + first + at;
    std::fill_n(y, count, T{0});
    for (size_t j = 0; j < weights_.size(); ++j) {
      const int64_t step_a = lines_.step(2 * j), step_b = lines_.step(2 * j + 1);
      const T* a = inputs_[2 * j] + offsets[2 * j] + at * step_a;
      const T* b = inputs_[2 * j + 1] + offsets[2 * j + 1] + at * step_b;
      // The product is symmetric: what stands still comes second.
      if (step_a >= step_b) add(weights_[j], a, step_a, b, step_b, y, count);
      else add(weights_[j], b, step_b, a, step_a, y, count);
    }
  }

  static void add(T weight, const T* a, int64_t step_a, const T* b, int64_t step_b, T* y, int64_t count) {
    if (step_b != 0) {
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) y[i] += weight * a[i] * b[i];
    } else if (step_a != 0) {
      const T fixed = *b;
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) y[i] += weight * a[i] * fixed;
    } else {
      const T product = weight * *a * *b;
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) y[i] += product;
    }
  }

  Lines lines_;
  std::vector<T> weights_;
  std::vector<const T*> inputs_;
  T* y_ = nullptr;
};

std::unique_ptr<Kernel> make_sum_of_products(const KernelRequest& request) {
  if (request.output.size() == 0) return nullptr;
  std::vector<Shape> shapes;
  for (const Operand& input : request.inputs) shapes.push_back(input.shape);
  Lines lines(shapes, request.output.shape);
  if (request.output.dtype == DType::f32) return std::make_unique<SumOfProductsKernel<float>>(request, lines);
  return std::make_unique<SumOfProductsKernel<double>>(request, lines);
}

const RegisterKernel single("sum_of_products", DType::f32, make_sum_of_products);
const RegisterKernel twofold("sum_of_products", DType::f64, make_sum_of_products);

}  // namespace
}  // namespace ascribe::core::kernel_sum_of_products
