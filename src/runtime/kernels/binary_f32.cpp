// add, sub, mul, maximum, minimum in float32 where a blocked layout is involved: both
// operands alike, or one value per channel. Row-major ones: plain_binary.h.
#include <algorithm>

#include "runtime/kernels/channel_affine.h"
#include "runtime/kernels/channel_scale.h"
#include "runtime/kernels/dnnl_support.h"
#include "runtime/kernels/plain_binary.h"

namespace ascribe::core::kernel_binary_f32 {
namespace {

using Desc = dnnl::memory::desc;

std::optional<dnnl::algorithm> algorithm_of(const std::string& name) {
  if (name == "add") return dnnl::algorithm::binary_add;
  if (name == "sub") return dnnl::algorithm::binary_sub;
  if (name == "mul") return dnnl::algorithm::binary_mul;
  if (name == "maximum") return dnnl::algorithm::binary_max;
  if (name == "minimum") return dnnl::algorithm::binary_min;
  return std::nullopt;
}

// [C, 1, 1] or [1, C, 1, 1] against [N, C, H, W]; also a single value.
std::optional<Shape> per_channel(const Shape& small, const Shape& large) {
  if (small.size() > large.size()) return std::nullopt;
  Shape shape(large.size() - small.size(), 1);
  shape.insert(shape.end(), small.begin(), small.end());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1 && (axis != 1 || shape[axis] != large[axis])) return std::nullopt;
  }
  return shape;
}

// Channels that fill up the last block of a blocked layout.
bool is_padded(const Desc& desc) {
  const auto* padded = desc.data.padded_dims;
  return !std::equal(desc.data.dims, desc.data.dims + desc.data.ndims, padded);
}

class BinaryKernel : public DnnlKernel {
 public:
  BinaryKernel(const KernelRequest& request, dnnl::algorithm algorithm, const Desc& a, const Desc& b, const Desc& out) {
    // oneDNN 2.6 computes something else where an activation follows and channels are padded.
    const PostOps post = unary_post_ops(is_padded(out) ? std::span<const Follower>{} : request.followers);
    const dnnl::binary::primitive_desc desc({algorithm, a, b, out}, post.attr, dnnl_engine());
    absorbed = post.absorbed;
    careless = post.careless || algorithm == dnnl::algorithm::binary_max || algorithm == dnnl::algorithm::binary_min;
    set_primitive(dnnl::binary(desc));
    add_operand(DNNL_ARG_SRC_0, a, request.inputs[0], out);
    add_operand(DNNL_ARG_SRC_1, b, request.inputs[1], out);
    set_output(out, request.output.shape);
    set_scratch(desc.scratchpad_desc());
    if (request.inputs[0].shape == request.output.shape) in_place = 0;
  }

 private:
  void add_operand(int argument, const Desc& desc, const Operand& operand, const Desc& out) {
    if (desc == out) add_input(argument, desc, operand.shape);
    else add_plain(argument, desc);
  }
};

std::unique_ptr<Kernel> make_binary(const KernelRequest& request) {
  const auto algorithm = algorithm_of(request.op.name);
  const Operand &a = request.inputs[0], &b = request.inputs[1];
  const bool blocked = a.layout || b.layout;
  if (!algorithm || request.output.size() == 0) return nullptr;
  if (!blocked) return make_plain_binary(request);
  if (request.op.name == "mul" || request.op.name == "add") {
    if (auto kernel = make_channel_affine(request)) return kernel;
    if (auto kernel = make_channel_scale(request)) return kernel;
  }
  if (a.shape == request.output.shape && b.shape == request.output.shape) {
    const Desc desc = desc_of(a.layout ? a : b);
    return std::make_unique<BinaryKernel>(request, *algorithm, desc, desc, desc);
  }
  // oneDNN broadcasts its second operand only.
  if (a.layout && a.shape == request.output.shape && b.layout == nullptr) {
    if (const auto shape = per_channel(b.shape, a.shape)) {
      return std::make_unique<BinaryKernel>(request, *algorithm, desc_of(a), plain_desc(*shape), desc_of(a));
    }
  }
  return make_plain_binary(request);
}

const RegisterKernel add("add", DType::f32, make_binary);
const RegisterKernel sub("sub", DType::f32, make_binary);
const RegisterKernel mul("mul", DType::f32, make_binary);
const RegisterKernel maximum("maximum", DType::f32, make_binary);
const RegisterKernel minimum("minimum", DType::f32, make_binary);

}  // namespace
}  // namespace ascribe::core::kernel_binary_f32
