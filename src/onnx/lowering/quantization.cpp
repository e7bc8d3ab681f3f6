#include "onnx/lowering/quantization.h"

#include <cmath>

namespace ascribe::core {

WholeRange whole_range(const NodeContext& c, const std::string& element_type) {
  if (element_type == "uint8") return {0, 255};
  if (element_type == "int8") return {-128, 127};
  if (element_type == "uint16") return {0, 65535};
  if (element_type == "int16") return {-32768, 32767};
  if (element_type == "uint4") return {0, 15};
  if (element_type == "int4") return {-8, 7};
  if (element_type == "uint2") return {0, 3};
  if (element_type == "int2") return {-2, 1};
  c.unsupported("numbers are rounded to {}; expected integers of 2 to 16 bits",
                element_type.empty() ? "a type that is not known" : element_type);
}

Scaling read_scaling(const NodeContext& c, size_t scale, size_t zero, int64_t axis, int64_t block) {
  Scaling scaling{.scale = c.b().cast(c.in(scale), Kind::real), .zero = {}, .axis = axis, .block = block};
  if (c.has(zero)) scaling.zero = c.b().cast(c.in(zero), Kind::real);
  return scaling;
}

namespace {

// A scale or zero point in a shape that broadcasts to x.
Value fitted(NodeContext& c, Value parameter, const Scaling& scaling, Value x) {
  Builder& b = c.b();
  const int64_t rank = b.rank(x), own = b.rank(parameter);
  if (own == 0) return parameter;
  if (scaling.block > 0) {
    const int64_t axis = normal_axis(scaling.axis, rank, c.where());
    if (own != rank) c.refuse("a scale of blocks has rank {}; expected {}", own, rank);
    const int64_t size = fixed_size(c, b.shape(x)[axis], "the quantised axis");
    const int64_t blocks = fixed_size(c, b.shape(parameter)[axis], "the number of blocks");
    if (scaling.block > size || (size + scaling.block - 1) / scaling.block != blocks) {
      c.refuse("blocks of {} along an axis of {} need another number of scales; got {}", scaling.block, size, blocks);
    }
    table_size(c, {size});
    Tensor places(DType::i64, {size});
    const auto data = places.mutable_data<int64_t>();
    for (int64_t i = 0; i < size; ++i) data[i] = i / scaling.block;
    return b.op("gather", {parameter, b.constant(std::move(places))}, {{"axis", ints({axis})}});
  }
  if (own > 1) return parameter;  // of the operand's rank; it broadcasts or is refused
  if (b.shape(parameter)[0] == Dim(1)) return b.reshape(parameter, {});
  const int64_t axis = normal_axis(scaling.axis, rank, c.where());
  if (b.shape(parameter)[0] != b.shape(x)[axis]) {
    c.refuse("there are {} scales or zero points for an axis of {}", to_string(b.shape(parameter)[0]),
             to_string(b.shape(x)[axis]));
  }
  return along_axis(b, parameter, axis, rank);
}

bool is_everywhere(const Builder& b, Value value, double number) {
  const auto known = b.known(value);
  bool same = known.has_value();
  for (int64_t i = 0; same && i < known->size(); ++i) same = known->at(i) == number;
  return same;
}
bool is_zero(const Builder& b, Value value) { return !value.valid() || is_everywhere(b, value, 0); }
bool is_one(const Builder& b, Value value) { return is_everywhere(b, value, 1); }

bool is_same(const Builder& b, Value one, Value other) {
  if (one == other) return true;
  const auto a = b.known(one), c = b.known(other);
  if (!a || !c || a->size() != 1 || c->size() != 1) return false;
  return a->at(0) == c->at(0);
}

// q - zero. What was just shifted by the same zero point is taken as it was before.
Value unshifted(Builder& b, Value q, Value zero) {
  const Node& node = b.graph()[q];
  if (node.op->name == "add" && is_same(b, node.inputs[1], zero)) return node.inputs[0];
  return b.sub(q, zero);
}

// x within the range of whole numbers that remains when the zero point is added.
Value clipped(Builder& b, Value x, Value zero, WholeRange range) {
  const auto known = zero.valid() ? b.known(zero) : Tensor::scalar(0.0);
  if (known && known->size() == 1) {
    return b.op("clip", {x}, {{"min", reals({range.low - known->at(0)})}, {"max", reals({range.high - known->at(0)})}});
  }
  const Value low = b.sub(b.scalar(range.low), zero), high = b.sub(b.scalar(range.high), zero);
  return b.op("minimum", {b.op("maximum", {x, low}), high});
}

void check_scale(const NodeContext& c, Value scale) {
  const auto known = c.b().known(scale);
  for (int64_t i = 0; known && i < known->size(); ++i) {
    if (!std::isfinite(known->at(i)) || known->at(i) == 0) c.refuse("a scale is {}", known->at(i));
  }
}

}  // namespace

Value dequantize(NodeContext& c, Value q, const Scaling& scaling) {
  Builder& b = c.b();
  q = b.cast(q, Kind::real);
  // Both must fit, also where they change nothing.
  const Value zero = scaling.zero.valid() ? fitted(c, scaling.zero, scaling, q) : Value{};
  const Value scale = fitted(c, scaling.scale, scaling, q);
  if (!is_zero(b, zero)) q = unshifted(b, q, zero);
  return is_one(b, scale) ? q : b.mul(q, scale);
}

// Clipped before it is rounded, which gives the same since the bounds are whole: so the derivative is that of x within
// the range, and 0 outside.
Value quantize(NodeContext& c, Value x, const Scaling& scaling, WholeRange range) {
  Builder& b = c.b();
  check_scale(c, scaling.scale);
  x = b.cast(x, Kind::real);
  const Value zero = scaling.zero.valid() ? fitted(c, scaling.zero, scaling, x) : Value{};
  const bool shifted = !is_zero(b, zero);
  const Value steps = b.div(x, fitted(c, scaling.scale, scaling, x));
  const Value rounded = b.op("quantize", {clipped(b, steps, shifted ? zero : Value{}, range)});
  return shifted ? b.add(rounded, zero) : rounded;
}

Value quantize(NodeContext& c, Value x, const Scaling& scaling, size_t zero) {
  return quantize(c, x, scaling, whole_range(c, c.has(zero) ? c.element_type(zero) : "uint8"));
}

}  // namespace ascribe::core
