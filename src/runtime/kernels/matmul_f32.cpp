// Matrix products in float32 on oneDNN. With a constant right-hand matrix all rows of
// the batch form one product; bias and activation are fused.
#include "runtime/kernels/dnnl_support.h"
#include "runtime/kernels/matmul_shape.h"

namespace ascribe::core::kernel_matmul_f32 {
namespace {

using Desc = dnnl::memory::desc;

// Larger weights are read where they lie: packing would hold them twice while it runs.
constexpr size_t kLargestPacked = size_t{16} << 20;

bool is_blocked(const Desc& desc) { return desc.data.format_desc.blocking.inner_nblks > 0; }

Desc matrix_desc(const Shape& shape, bool transposed) {
  Shape stored = shape;
  const size_t rank = shape.size();
  if (transposed) std::swap(stored[rank - 1], stored[rank - 2]);
  auto strides = strides_of(stored);
  if (transposed) std::swap(strides[rank - 1], strides[rank - 2]);
  return {shape, dnnl::memory::data_type::f32, strides};
}

// add with a constant that has one value per column
bool is_bias(const Follower& follower, int64_t columns) {
  const Operand& other = follower.other;
  return follower.op->name == "add" && other.value.valid() && other.constant && other.size() == columns &&
         !other.shape.empty() && other.shape.back() == columns;
}

class MatmulKernel : public DnnlKernel {
 public:
  MatmulKernel(const KernelRequest& request, const MatmulShape& s) {
    const bool biased = !request.followers.empty() && is_bias(request.followers[0], s.columns);
    const PostOps post = unary_post_ops(request.followers, biased ? 1 : 0);
    absorbed = post.absorbed;
    careless = post.careless;
    const Operand& weight = request.inputs[1];
    const bool pack = weight.constant && weight.plain_bytes() <= kLargestPacked;
    const Desc a = matrix_desc(s.a, s.transpose_a), b = matrix_desc(s.b, s.transpose_b), out = plain_desc(s.out);
    Shape bias_shape(s.out.size(), 1);
    bias_shape.back() = s.columns;
    const auto describe = [&](const Desc& wanted) -> dnnl::matmul::primitive_desc {
      return {biased ? dnnl::matmul::desc(a, wanted, plain_desc(bias_shape), out) : dnnl::matmul::desc(a, wanted, out),
              post.attr, dnnl_engine()};
    };
    auto desc = describe(pack ? any_desc(s.b) : b);
    // A mere transpose does not pay for a second copy: a gradient reads the same weight the other way round.
    if (pack && !is_blocked(desc.weights_desc())) desc = describe(b);
    set_primitive(dnnl::matmul(desc));
    add_plain(DNNL_ARG_SRC, a);
    if (weight.constant)
      add_held(DNNL_ARG_WEIGHTS, packed_weight(request.constants, weight.value, b, desc.weights_desc()));
    else add_plain(DNNL_ARG_WEIGHTS, b);
    if (biased) {
      const Desc plain = plain_desc(bias_shape);
      bias_ = packed_weight(request.constants, request.followers[0].other.value, plain, plain);
      set_argument(DNNL_ARG_BIAS, bias_);
    }
    set_plain_output(out);
    set_scratch(desc.scratchpad_desc());
  }

 private:
  dnnl::memory bias_;
};

std::unique_ptr<Kernel> make_matmul(const KernelRequest& request) {
  MatmulShape s = matmul_shape(request);
  if (element_count(s.out) == 0 || s.inner == 0 || s.out.size() > DNNL_MAX_NDIMS) return nullptr;
  return std::make_unique<MatmulKernel>(request, s);
}

const RegisterKernel kernel("matmul", DType::f32, make_matmul);

}  // namespace
}  // namespace ascribe::core::kernel_matmul_f32
