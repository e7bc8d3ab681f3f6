// Unary functions in float32 on oneDNN, in whatever layout the operand has: oneDNN
// keeps the padding of blocked channels zero. The sigmoid and its kin are loops of our own, several times as fast;
// the Elu is one because oneDNN's loses small numbers.
#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "runtime/kernels/dnnl_support.h"
#include "runtime/kernels/row_loops.h"

namespace ascribe::core::kernel_eltwise_f32 {
namespace {

// sigmoid(x), x sigmoid(x) or elu(x).
class LoopKernel : public Kernel {
 public:
  explicit LoopKernel(const KernelRequest& request)
      : op_(request.op.name == "sigmoid" ? RowOp::sigmoid : (request.op.name == "silu" ? RowOp::silu : RowOp::elu)) {
    if (op_ == RowOp::elu) alpha_ = static_cast<float>(request.attributes.real("alpha"));
    const Operand& x = request.inputs[0];
    output_bytes = bytes_in(x.layout, x.plain_bytes());
    count_ = static_cast<int64_t>(output_bytes / sizeof(float));  // what fills up blocks is 0; so are its silu and elu
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
      const RowLoops& loops = row_loops();
      if (op_ == RowOp::elu) loops.binary(op_, y_ + begin, x_ + begin, 1, &alpha_, 0, end - begin);
      else loops.unary(op_, y_ + begin, x_ + begin, end - begin);
    };
    if (count_ <= kChunk) walk(0, count_);
    else parallel_for(count_, kChunk, walk);
  }

 private:
  static constexpr int64_t kChunk = 1 << 14;

  RowOp op_;
  float alpha_ = 0;
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
    return std::make_unique<LoopKernel>(request);
  }
  const auto eltwise = eltwise_of(request.op, request.attributes);
  return eltwise ? std::make_unique<EltwiseKernel>(request, *eltwise) : nullptr;
}

std::unique_ptr<Kernel> make_elu(const KernelRequest& request) {
  return request.output.size() == 0 ? nullptr : std::make_unique<LoopKernel>(request);
}

const bool registered = [] {
  RegisterKernel("elu", DType::f32, make_elu);
  for (const EltwiseForm& form : eltwise_forms()) RegisterKernel(form.op, DType::f32, make_eltwise);
  return true;
}();

}  // namespace
}  // namespace ascribe::core::kernel_eltwise_f32
