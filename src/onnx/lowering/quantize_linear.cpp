// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear, of the standard and of ONNX Runtime's own domain.
#include <optional>

#include "onnx/element_type.h"
#include "onnx/lowering/quantization.h"

namespace ascribe::core::lowering_quantize_linear {
namespace {

Scaling scaling_of(const NodeContext& c) {
  const int64_t block = c.integer("block_size", 0);
  if (block < 0) c.refuse("block_size is {}", block);
  return read_scaling(c, 1, 2, c.integer("axis", 1), block);
}

std::string type_of_result(const NodeContext& c) {
  const int64_t wanted = c.integer("output_dtype", 0);
  if (wanted != 0) return element_type_name(static_cast<int32_t>(wanted));
  return c.has(2) ? c.element_type(2) : "uint8";
}

void lower_quantize(NodeContext& c) {
  c.out(0, quantize(c, c.in(0), scaling_of(c), whole_range(c, type_of_result(c))));
}

// Rows of a stored table are unpacked with the table: a lookup in numbers is how tokens are known to enter.
std::optional<Value> unpacked_lookup(NodeContext& c, const Scaling& scaling) {
  Builder& b = c.b();
  const Node node = b.graph()[c.in(0)];
  const bool one_scale = b.graph().is(scaling.scale, "constant") && b.rank(scaling.scale) == 0;
  const bool one_zero = !scaling.zero.valid() || (b.graph().is(scaling.zero, "constant") && b.rank(scaling.zero) == 0);
  if (node.op->name != "gather" || !b.graph().is(node.inputs[0], "constant") || !one_scale || !one_zero) return {};
  return b.op("gather", {dequantize(c, node.inputs[0], scaling), node.inputs[1]}, node.attributes);
}

void lower_dequantize(NodeContext& c) {
  const Scaling scaling = scaling_of(c);
  const auto lookup = unpacked_lookup(c, scaling);
  c.out(0, lookup ? *lookup : dequantize(c, c.in(0), scaling));
}

// The range of the numbers themselves, 0 included, in 255 steps. ONNX takes it over all rows; here each row has its
// own, as if it were alone: what a row means must not depend on its neighbours.
void lower_dynamic(NodeContext& c) {
  Builder& b = c.b();
  const Value x = c.in(0);
  const int64_t rank = b.rank(x);
  const bool by_row = rank > 0 && b.shape(x)[0] == kBatch;
  const auto axes = axes_from(by_row ? 1 : 0, rank);
  const auto extreme = [&](std::string_view reduction, std::string_view with_zero) {
    const Value over = axes.empty() ? x : b.reduce(reduction, x, axes, by_row);
    return b.op(with_zero, {over, b.scalar(0)});
  };
  const Value low = extreme("reduce_min", "minimum"), high = extreme("reduce_max", "maximum");
  const Value span = b.div(b.sub(high, low), b.scalar(255));
  const Value scale = b.op("where", {b.op("equal", {span, b.scalar(0)}), b.scalar(1), span});  // all numbers are 0
  const Attributes bounds = {{"min", reals({0})}, {"max", reals({255})}};
  const Value zero = b.op("quantize", {b.op("clip", {b.op("neg", {b.div(low, scale)})}, bounds)});
  if (c.wants(0)) c.out(0, quantize(c, x, {.scale = scale, .zero = zero}, WholeRange{0, 255}));
  if (c.wants(1)) c.out(1, scale);
  if (c.wants(2)) c.out(2, zero);
}

constexpr std::string_view kRounds = "rounded as the file says; derivatives pass straight through the rounding";

const RegisterLowering quantize_linear({"QuantizeLinear", 28,
                                        "axis:13 block_size:21 output_dtype:21 precision:23 saturate:19"},
                                       lower_quantize, fmt::format("to integers of 2 to 16 bits; {}", kRounds));
const RegisterLowering dequantize_linear({"DequantizeLinear", 28, "axis:13 block_size:21 output_dtype:23"},
                                         lower_dequantize);
const RegisterLowering dynamic({"DynamicQuantizeLinear", 11}, lower_dynamic,
                               fmt::format("each row is scaled by its own numbers; {}", kRounds));
const RegisterLowering own_quantize({"com.microsoft.QuantizeLinear", 1, "axis"}, lower_quantize);
const RegisterLowering own_dequantize({"com.microsoft.DequantizeLinear", 1, "axis"}, lower_dequantize);

}  // namespace
}  // namespace ascribe::core::lowering_quantize_linear
