// Operators on quantised operands with a quantised result: the operator itself on what the operands stand for, then
// rounded. QLinearConv, QLinearMatMul, and those that ONNX Runtime adds.
#include "onnx/lowering/quantization.h"
#include "onnx/lowering/window.h"

namespace ascribe::core::lowering_qlinear {
namespace {

// Operand `at` with its scale and zero point behind it.
Value operand(NodeContext& c, size_t at, int64_t axis = 0) {
  return dequantize(c, c.in(at), read_scaling(c, at + 1, at + 2, axis));
}

// The result, rounded by the scale and zero point at `at`.
void round_off(NodeContext& c, Value y, size_t at) { c.out(0, quantize(c, y, read_scaling(c, at, at + 1), at + 1)); }

// A bias of 32-bit integers counts in steps of the operands' scales multiplied.
Value bias_of(NodeContext& c, size_t at, size_t scale_a, size_t scale_b) {
  Builder& b = c.b();
  return b.mul(b.cast(c.in(at), Kind::real),
               b.mul(b.cast(c.in(scale_a), Kind::real), b.cast(c.in(scale_b), Kind::real)));
}

void lower_conv(NodeContext& c) {
  const Value x = operand(c, 0), w = operand(c, 3, 0);
  const Value bias = c.has(8) ? bias_of(c, 8, 1, 4) : Value{};
  round_off(c, convolved(c, x, w, bias), 6);
}

// Scales of A are along its rows, those of B along its columns.
void lower_matmul(NodeContext& c) {
  const Value a = operand(c, 0, -2), b = operand(c, 3, -1);
  round_off(c, c.b().matmul(a, b), 6);
}

template <Literal Name>
void lower_two(NodeContext& c) {
  round_off(c, c.b().op(Name.text, {operand(c, 0), operand(c, 3)}), 6);
}

void lower_gemm(NodeContext& c) {
  Builder& b = c.b();
  const bool transposed = c.integer("transB", 0) != 0;
  Value y = b.matmul(operand(c, 0), operand(c, 3, transposed ? 0 : 1), c.integer("transA", 0) != 0, transposed);
  const double alpha = c.real("alpha", 1.0);
  if (c.has(6)) y = b.add(y, bias_of(c, 6, 1, 4));
  if (alpha != 1) y = b.mul(y, alpha);
  // Without a scale the result stays as it is.
  if (c.has(7)) round_off(c, y, 7);
  else c.out(0, y);
}

void refuse_channels_last(const NodeContext& c) {
  if (c.integer("channels_last", 0) != 0) c.unsupported("channels_last = 1");
}

void lower_global_average_pool(NodeContext& c) {
  refuse_channels_last(c);
  const Value x = operand(c, 0);
  round_off(c, c.b().reduce("reduce_mean", x, axes_from(2, c.b().rank(x)), true), 3);
}

void lower_average_pool(NodeContext& c) {
  refuse_channels_last(c);
  const Value x = operand(c, 0);
  const Window window = padded_window(c, c.b().shape(x), {});
  const int64_t ceil_mode = c.integer("ceil_mode", 0) != 0, include = c.integer("count_include_pad", 0) != 0;
  round_off(c,
            c.b().op("average_pool", {x},
                     {{"kernel", ints(window.kernel)},
                      {"strides", ints(window.strides)},
                      {"pads", ints(window.pads)},
                      {"dilations", ints(window.dilations)},
                      {"ceil_mode", ints({ceil_mode})},
                      {"count_include_pad", ints({include})}}),
            3);
}

void lower_concat(NodeContext& c) {
  std::vector<Value> parts;
  for (size_t at = 2; at < c.input_count(); at += 3) parts.push_back(operand(c, at));
  if (parts.empty()) c.refuse("there is nothing to join");
  const int64_t axis = axis_attribute(c, 0, c.b().rank(parts[0]));
  round_off(c, c.b().concat(parts, axis), 0);
}

void lower_leaky_relu(NodeContext& c) {
  const Value y = c.b().op("leaky_relu", {operand(c, 0)}, {{"alpha", reals({c.real("alpha", 0.01)})}});
  round_off(c, y, 3);
}

void lower_sigmoid(NodeContext& c) { round_off(c, c.b().op("sigmoid", {operand(c, 0)}), 3); }

void lower_softmax(NodeContext& c) {
  if (c.integer("opset", 13) < 13) c.unsupported("the softmax of opset {}", c.integer("opset", 13));
  const Value x = operand(c, 0);
  const int64_t axis = axis_attribute(c, -1, c.b().rank(x));
  round_off(c, c.b().op("softmax", {x}, {{"axis", ints({axis})}}), 3);
}

const RegisterLowering conv({"QLinearConv", 10, "auto_pad dilations group kernel_shape pads strides"}, lower_conv);
const RegisterLowering matmul({"QLinearMatMul", 21}, lower_matmul);
const RegisterLowering add({"com.microsoft.QLinearAdd"}, lower_two<"add">);
const RegisterLowering mul({"com.microsoft.QLinearMul"}, lower_two<"mul">);
const RegisterLowering gemm({"com.microsoft.QGemm", 1, "alpha transA transB"}, lower_gemm);
const RegisterLowering global_average_pool({"com.microsoft.QLinearGlobalAveragePool", 1, "channels_last"},
                                           lower_global_average_pool, "without channels_last");
const RegisterLowering average_pool({"com.microsoft.QLinearAveragePool", 1,
                                     "auto_pad ceil_mode channels_last count_include_pad kernel_shape pads strides"},
                                    lower_average_pool, "without channels_last");
const RegisterLowering concat({"com.microsoft.QLinearConcat", 1, "axis"}, lower_concat);
const RegisterLowering leaky_relu({"com.microsoft.QLinearLeakyRelu", 1, "alpha"}, lower_leaky_relu);
const RegisterLowering sigmoid({"com.microsoft.QLinearSigmoid"}, lower_sigmoid);
const RegisterLowering softmax({"com.microsoft.QLinearSoftmax", 1, "axis opset"}, lower_softmax,
                               "by the softmax of opset 13");

}  // namespace
}  // namespace ascribe::core::lowering_qlinear
