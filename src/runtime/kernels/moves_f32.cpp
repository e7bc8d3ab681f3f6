// Elements moved in runs, for what runtime/fuse_moves.h found.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "graph/opaque.h"
#include "runtime/kernels/kernel.h"

namespace ascribe::core::kernel_moves_f32 {
namespace {

constexpr int64_t kElements = 1 << 14;  // per chunk

struct Run {
  uint32_t to, from, count;
  int32_t input;
};

class MovesKernel : public Kernel {
 public:
  explicit MovesKernel(const KernelRequest& request) {
    const Tensor rows = Tensor::scalar<int64_t>(request.attributes.integer("rows"));
    repeated_ = request.attributes.integer("repeated");
    const Tensor runs = request.attributes.function("runs")->call(rows);
    const auto numbers = runs.data<int64_t>();
    runs_.reserve(numbers.size() / 4);
    for (size_t i = 0; i < numbers.size(); i += 4) {
      const auto number = [&](size_t k) { return static_cast<uint32_t>(numbers[i + k]); };
      runs_.push_back({number(0), number(2), number(3), static_cast<int32_t>(numbers[i + 1])});
    }
    own_bytes += runs_.size() * sizeof(Run);
    const auto grows = request.attributes.integers("grows");
    for (size_t i = 0; i < request.inputs.size(); ++i) {
      input_layouts.push_back(nullptr);
      held.push_back(false);
      strides_.push_back(grows[i] != 0 ? request.inputs[i].size() / repeated_ : 0);
    }
    stride_ = request.output.size() / repeated_;
    const int64_t count = std::max<int64_t>(1, std::ssize(runs_));
    grain_ = std::max<int64_t>(1, kElements / std::max<int64_t>(1, stride_ / count));
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    inputs_.clear();
    for (const void* input : inputs) inputs_.push_back(static_cast<const float*>(input));
    output_ = static_cast<float*>(output);
  }

  void run() override {
    const int64_t count = std::ssize(runs_);
    parallel_for(repeated_ * count, grain_, [this, count](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i / count;
        const Run& run = runs_[static_cast<size_t>(i - row * count)];
        float* to = output_ + row * stride_ + run.to;
        const size_t bytes = static_cast<size_t>(run.count) * sizeof(float);
        if (run.input < 0) std::memset(to, 0, bytes);
        else std::memcpy(to, inputs_[run.input] + row * strides_[run.input] + run.from, bytes);
      }
    });
  }

 private:
  std::vector<Run> runs_;
  std::vector<int64_t> strides_;
  int64_t repeated_ = 1, stride_ = 0, grain_ = 1;
  std::vector<const float*> inputs_;
  float* output_ = nullptr;
};

std::unique_ptr<Kernel> make_moves(const KernelRequest& request) { return std::make_unique<MovesKernel>(request); }

const RegisterKernel kernel("moves", DType::f32, make_moves);

}  // namespace
}  // namespace ascribe::core::kernel_moves_f32
