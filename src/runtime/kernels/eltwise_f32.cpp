// Unary functions in float32 on oneDNN, in whatever layout the operand has: oneDNN
// keeps the padding of blocked channels zero. The sigmoid and its kin are loops of our own, several times as fast.
#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"
#include "runtime/kernels/row_loops.h"

namespace ascribe::core::kernel_eltwise_f32 {
namespace {

// sigmoid(x) or x sigmoid(x).
class SigmoidKernel : public Kernel {
 public:
  explicit SigmoidKernel(const KernelRequest& request) : times_x_(request.op.name == "silu") {
    const Operand& x = request.inputs[0];
    output_bytes = bytes_in(x.layout, x.plain_bytes());
    count_ = static_cast<int64_t>(output_bytes / sizeof(float));  // what fills up blocks is 0, and silu(0) is
    input_layouts = {x.layout};
    held = {false};
    output_layout = x.layout;
    in_place = 0;
  }

  void bind(std::span<void* const> inputs, void* output, void*) override {
    x_ = static_cast<const float*>(inputs[0]);
    y_ = static_cast<float*>(output);
  }

  void run() override {
    const auto walk = [&](int64_t begin, int64_t end) {
      for (; begin < end; begin += kLine) part(begin, std::min(kLine, end - begin));
    };
    if (count_ <= kChunk) walk(0, count_);
    else parallel_for(count_, kChunk, walk);
  }

 private:
  static constexpr int64_t kLine = 1 << 10, kChunk = 1 << 14;

  void part(int64_t begin, int64_t count) const {
    const RowLoops& loops = row_loops();
    if (!times_x_) {
      loops.unary(RowOp::sigmoid, y_ + begin, x_ + begin, count);
      return;
    }
    std::array<float, kLine> gate;
    loops.unary(RowOp::sigmoid, gate.data(), x_ + begin, count);
    loops.binary(RowOp::mul, y_ + begin, x_ + begin, 1, gate.data(), 1, count);
  }

  bool times_x_;
  int64_t count_ = 0;
  const float* x_ = nullptr;
  float* y_ = nullptr;
};

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
    careless = true;
  }
};

std::unique_ptr<Kernel> make_eltwise(const KernelRequest& request) {
  if (request.output.size() == 0) return nullptr;
  const Operand& x = request.inputs[0];
  const bool filled = bytes_in(x.layout, x.plain_bytes()) != x.plain_bytes();
  if (!request.one_way && (request.op.name == "silu" || (request.op.name == "sigmoid" && !filled))) {
    return std::make_unique<SigmoidKernel>(request);
  }
  const auto eltwise = eltwise_of(request.op, request.attributes);
  return eltwise ? std::make_unique<EltwiseKernel>(request, *eltwise) : nullptr;
}

const bool registered = [] {
  for (const EltwiseForm& form : eltwise_forms()) RegisterKernel(form.op, DType::f32, make_eltwise);
  return true;
}();

}  // namespace
}  // namespace ascribe::core::kernel_eltwise_f32
