// Convolution in float32 on oneDNN: weights packed once in the layout that the
// primitive asks for, bias and activation and a residual sum fused.
#include "runtime/kernels/dnnl_support.h"
#include "runtime/kernels/winograd_f32.h"

namespace ascribe::core::kernel_conv_f32 {
namespace {

using Desc = dnnl::memory::desc;
using dnnl::convolution_forward;

struct Geometry {
  dnnl::memory::dims strides, dilations, pads_begin, pads_end;
};

Geometry geometry_of(const Attributes& attributes) {
  Geometry g;
  g.strides = attributes.integers("strides");
  for (const int64_t d : attributes.integers("dilations")) g.dilations.push_back(d - 1);
  const auto pads = attributes.integers("pads");
  const auto rank = static_cast<int64_t>(pads.size()) / 2;
  g.pads_begin.assign(pads.begin(), pads.begin() + rank);
  g.pads_end.assign(pads.begin() + rank, pads.end());
  return g;
}

Shape grouped_weight_shape(const Shape& weight, int64_t group) {
  if (group == 1) return weight;
  Shape shape = weight;
  shape[0] /= group;
  shape.insert(shape.begin(), group);
  return shape;
}

convolution_forward::primitive_desc describe(const KernelRequest& request, const Shape& weight,
                                             const dnnl::primitive_attr& attr) {
  const Geometry g = geometry_of(request.attributes);
  const Desc target = any_desc(request.output.shape);
  const bool biased = request.inputs.size() > 2;
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  return described_as_it_lies(request.inputs[0], [&](const Desc& source) -> convolution_forward::primitive_desc {
    const auto desc = biased ? convolution_forward::desc(kind, algorithm, source, any_desc(weight),
                                                         plain_desc(request.inputs[2].shape), target, g.strides,
                                                         g.dilations, g.pads_begin, g.pads_end)
                             : convolution_forward::desc(kind, algorithm, source, any_desc(weight), target, g.strides,
                                                         g.dilations, g.pads_begin, g.pads_end);
    return {desc, attr, dnnl_engine()};
  });
}

// Inside a convolution oneDNN takes two to four times as long for these as they take by themselves (eltwise_f32.cpp);
// on small results a step less is worth more.
bool better_apart(const Follower& follower, const Operand& output) {
  constexpr int64_t kSmall = 1 << 14;
  return output.size() > kSmall && (follower.op->name == "silu" || follower.op->name == "sigmoid");
}

class ConvKernel : public DnnlKernel {
 public:
  ConvKernel(const KernelRequest& request, const Shape& weight) {
    const bool apart = !request.followers.empty() && better_apart(request.followers[0], request.output);
    PostOps post = unary_post_ops(apart ? std::span<const Follower>{} : request.followers);
    auto desc = describe(request, weight, post.attr);
    const Follower* residual = residual_of(request);
    if (residual != nullptr) {
      if (auto fused = describe_residual(request, weight, *residual, desc.dst_desc())) {
        desc = fused->first;
        post.absorbed = fused->second;
        post.careless = fused->second > 1;
      } else {
        residual = nullptr;
      }
    }
    absorbed = post.absorbed;
    careless = post.careless;
    set_primitive(convolution_forward(desc));
    add_input(DNNL_ARG_SRC, desc.src_desc(), request.inputs[0].shape);
    add_weight(request, desc, weight);
    if (request.inputs.size() > 2) add_bias(request);
    if (residual != nullptr) {
      add_extra(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, desc.dst_desc(), residual->other);
    }
    set_output(desc.dst_desc(), request.output.shape);
    set_scratch(desc.scratchpad_desc());
  }

 private:
  static const Follower* residual_of(const KernelRequest& request) {
    if (request.followers.empty()) return nullptr;
    const Follower& follower = request.followers[0];
    const bool sum = follower.op->name == "add" && follower.other.value.valid() && !follower.other.constant;
    return sum && follower.other.shape == request.output.shape ? &follower : nullptr;
  }

  // conv + other, then an activation. The other operand is read in the layout of the result.
  static std::optional<std::pair<convolution_forward::primitive_desc, size_t>> describe_residual(
      const KernelRequest& request, const Shape& weight, const Follower& residual, const Desc& target) {
    if (desc_of(residual.other) != target) return std::nullopt;
    PostOps tail = unary_post_ops(request.followers, 1);
    dnnl::post_ops ops;
    ops.append_binary(dnnl::algorithm::binary_add, target);
    if (tail.absorbed > 1) {
      const auto eltwise = eltwise_of(*request.followers[1].op, request.followers[1].attributes);
      ops.append_eltwise(1.0F, eltwise->algorithm, eltwise->alpha, eltwise->beta);
    }
    tail.attr.set_post_ops(ops);
    try {
      auto desc = describe(request, weight, tail.attr);
      if (desc.dst_desc() == target) return std::pair{desc, tail.absorbed};
    } catch (const dnnl::error&) {
      // This machine's kernels do not take the sum: it runs as an operation of its own.
    }
    return std::nullopt;
  }

  void add_weight(const KernelRequest& request, const convolution_forward::primitive_desc& desc, const Shape& weight) {
    const Operand& operand = request.inputs[1];
    if (operand.constant) {
      add_held(DNNL_ARG_WEIGHTS,
               packed_weight(request.constants, operand.value, plain_desc(weight), desc.weights_desc()));
    } else {
      add_input(DNNL_ARG_WEIGHTS, desc.weights_desc(), operand.shape);
    }
  }

  void add_bias(const KernelRequest& request) {
    const Operand& bias = request.inputs[2];
    const Desc plain = plain_desc(bias.shape);
    if (bias.constant) add_held(DNNL_ARG_BIAS, packed_weight(request.constants, bias.value, plain, plain));
    else add_input(DNNL_ARG_BIAS, plain, bias.shape);
  }
};

std::unique_ptr<Kernel> make_conv(const KernelRequest& request) {
  const size_t rank = request.inputs[0].shape.size();
  const int64_t group = request.attributes.integer("group");
  // oneDNN knows 1 to 3 spatial axes; computed grouped weights would need a reorder to five axes.
  if (rank < 3 || rank > 5 || request.output.size() == 0 || (group > 1 && !request.inputs[1].constant)) return nullptr;
  if (auto winograd = make_winograd(request)) return winograd;
  return std::make_unique<ConvKernel>(request, grouped_weight_shape(request.inputs[1].shape, group));
}

const RegisterKernel kernel("conv", DType::f32, make_conv);

}  // namespace
}  // namespace ascribe::core::kernel_conv_f32
