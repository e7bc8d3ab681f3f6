// Products of whole numbers: MatMulInteger, ConvInteger and what ONNX Runtime makes of them. They are computed as
// reals, so that derivatives find a way through; sums of 8-bit products are exact up to 2^24 in float.
#include "onnx/lowering/quantization.h"
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_integer_products {
namespace {

// Operand `at` less its zero point; one for each row or column lies along `axis`.
Value shifted(NodeContext& c, size_t at, size_t zero, int64_t axis) {
  Scaling scaling{.scale = c.b().scalar(1), .zero = {}, .axis = axis};
  if (c.has(zero)) scaling.zero = c.b().cast(c.in(zero), Kind::real);
  return dequantize(c, c.in(at), scaling);
}

void lower_matmul(NodeContext& c) { c.out(0, c.b().matmul(shifted(c, 0, 2, -2), shifted(c, 1, 3, -1))); }

void lower_conv(NodeContext& c) { c.out(0, convolved(c, shifted(c, 0, 2, 0), shifted(c, 1, 3, 0), {})); }

// (A - a0) a_scale times (B - b0) b_scale, plus a bias.
void lower_to_float(NodeContext& c) {
  Builder& b = c.b();
  const Value left = dequantize(c, c.in(0), read_scaling(c, 2, 4, -2));
  const Value right = dequantize(c, c.in(1), read_scaling(c, 3, 5, -1));
  const Value y = b.matmul(left, right);
  c.out(0, c.has(6) ? b.add(y, c.in(6)) : y);
}

const RegisterLowering matmul_integer({"MatMulInteger", 10}, lower_matmul);
const RegisterLowering conv_integer({"ConvInteger", 10, "auto_pad dilations group kernel_shape pads strides"},
                                    lower_conv);
const RegisterLowering matmul_to_float({"com.microsoft.MatMulIntegerToFloat"}, lower_to_float);

}  // namespace
}  // namespace ascribe::core::lowering_integer_products
