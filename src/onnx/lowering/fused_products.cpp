// Products with what ONNX Runtime fuses into them: FusedMatMul (transposes and a factor), FusedGemm and FusedConv (an
// activation behind; the latter also a sum before it).
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_fused_products {
namespace {

// `parameter(i, otherwise)`: of the activation, in the order of its own attributes.
template <class Parameter>
Value activated(NodeContext& c, Value x, const std::string& name, Parameter parameter) {
  Builder& b = c.b();
  if (name.empty()) return x;
  if (name == "Relu") return b.op("relu", {x});
  if (name == "Tanh") return b.op("tanh", {x});
  if (name == "Sigmoid") return b.op("sigmoid", {x});
  if (name == "LeakyRelu") return b.op("leaky_relu", {x}, {{"alpha", reals({parameter(0, 0.01)})}});
  const auto clip = [&](Value y, double low, double high) {
    return b.op("clip", {y}, {{"min", reals({low})}, {"max", reals({high})}});
  };
  if (name == "Clip") return clip(x, parameter(0, -3.4028234663852886e38), parameter(1, 3.4028234663852886e38));
  if (name == "HardSigmoid") return clip(b.add(b.mul(x, parameter(0, 0.2)), parameter(1, 0.5)), 0, 1);
  c.unsupported("the activation \"{}\"", name);
}

void lower_matmul(NodeContext& c) {
  if (c.integer("transBatchA", 0) != 0 || c.integer("transBatchB", 0) != 0) c.unsupported("transposed batches");
  Builder& b = c.b();
  const double alpha = c.real("alpha", 1.0);
  const bool scale_right = b.is_constant(c.in(1));
  const Value right = scale_right && alpha != 1 ? b.mul(c.in(1), alpha) : c.in(1);
  const Value y = b.matmul(c.in(0), right, c.integer("transA", 0) != 0, c.integer("transB", 0) != 0);
  c.out(0, scale_right || alpha == 1 ? y : b.mul(y, alpha));
}

void lower_gemm(NodeContext& c) {
  Builder& b = c.b();
  if (b.rank(c.in(0)) != 2 || b.rank(c.in(1)) != 2) c.refuse("FusedGemm multiplies matrices");
  const double alpha = c.real("alpha", 1.0), beta = c.real("beta", 1.0);
  Value y = b.matmul(c.in(0), c.in(1), c.integer("transA", 0) != 0, c.integer("transB", 0) != 0);
  if (alpha != 1) y = b.mul(y, alpha);
  if (c.has(2) && beta != 0) y = b.add(y, beta == 1 ? c.in(2) : b.mul(c.in(2), beta));
  const auto parameter = [&](size_t i, double otherwise) {
    return c.real(i == 0 ? "activation_alpha" : "activation_beta", otherwise);
  };
  c.out(0, activated(c, y, c.text("activation", ""), parameter));
}

void lower_conv(NodeContext& c) {
  Value y = convolved(c, c.in(0), c.in(1), c.has(2) ? c.in(2) : Value{});
  if (c.has(3)) y = c.b().add(y, c.in(3));
  const auto given = c.reals("activation_params", {});
  const auto parameter = [&](size_t i, double otherwise) { return i < given.size() ? given[i] : otherwise; };
  c.out(0, activated(c, y, c.text("activation", ""), parameter));
}

const RegisterLowering matmul({"com.microsoft.FusedMatMul", 1, "alpha transA transB transBatchA transBatchB"},
                              lower_matmul, "without transBatchA and transBatchB");
const RegisterLowering transpose_matmul({"com.microsoft.TransposeMatMul", 1, "alpha transA transB"}, lower_matmul);
const RegisterLowering gemm({"com.microsoft.FusedGemm", 1,
                             "activation activation_alpha activation_beta activation_gamma alpha beta transA transB"},
                            lower_gemm, "activation Relu, Tanh, Sigmoid, LeakyRelu, Clip or HardSigmoid");
const RegisterLowering conv({"com.microsoft.FusedConv", 1,
                             "activation activation_params auto_pad dilations group kernel_shape pads strides"},
                            lower_conv, "activation Relu, Tanh, Sigmoid, LeakyRelu, Clip or HardSigmoid");

}  // namespace
}  // namespace ascribe::core::lowering_fused_products
