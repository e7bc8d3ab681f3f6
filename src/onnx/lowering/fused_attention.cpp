// Attention and MultiHeadAttention as ONNX Runtime fuses them: softmax(scale Q K^T + bias) V per head. Attention makes
// Q, K and V itself, by one product with weights. A mask says which keys count: by their number for each row, or by a
// 0 or 1 for each key (each query, each head); to scores of those that do not count, mask_filter_value is added.
#include <cmath>
#include <optional>

#include "onnx/lowering/heads.h"

namespace ascribe::core::lowering_fused_attention {
namespace {

constexpr double kLowest = -3.4028234663852886e38;  // what a key to the right of its query gets

struct Operands {
  Value q, k, v;  // [B, heads, S, D]
};

// 1 where a key counts, in a shape that broadcasts to [B, heads, S, L].
Value counted(NodeContext& c, Value mask, Dim rows, Dim keys) {
  Builder& b = c.b();
  const Dims shape = b.shape(mask);
  mask = b.cast(mask, Kind::integer);
  switch (shape.size()) {
    case 1: {
      if (shape[0] != rows && shape[0] != Dim(1)) c.unsupported("a mask of shape {}", to_string(shape));
      const int64_t count = fixed_size(c, keys, "the number of keys");
      table_size(c, {count});
      const Value at = b.reshape(integer_range(b, count), {1, 1, 1, count});
      return b.cast(b.op("less", {at, b.reshape(mask, {shape[0], 1, 1, 1})}), Kind::integer);
    }
    case 2: return b.reshape(mask, {shape[0], 1, 1, shape[1]});
    case 3: return b.reshape(mask, {shape[0], 1, shape[1], shape[2]});
    case 4: return mask;
    default: c.unsupported("a mask of shape {}", to_string(shape));
  }
}

Value mask_bias(NodeContext& c, Value mask, Dim rows, Dim keys) {
  Builder& b = c.b();
  const Value counts = b.op("less", {b.integer(0), counted(c, mask, rows, keys)});
  return b.op("where", {counts, b.scalar(0), b.scalar(c.real("mask_filter_value", -10000.0))});
}

// 0 up to the query's own place, which is the last one of the keys for the last query; as low as can be behind it.
Value causal_bias(NodeContext& c, Dim queries, Dim keys) {
  Builder& b = c.b();
  const int64_t rows = fixed_size(c, queries, "the query length"), columns = fixed_size(c, keys, "the key length");
  table_size(c, {rows, columns});
  const Value here = b.reshape(b.add(integer_range(b, rows), b.integer(columns - rows)), {rows, 1});
  const Value seen = b.op("less_equal", {b.reshape(integer_range(b, columns), {1, columns}), here});
  return b.op("where", {seen, b.scalar(0), b.scalar(kLowest)});
}

// `mask` and `added` are numbers of operands.
void attend(NodeContext& c, const Operands& o, size_t mask, size_t added) {
  Builder& b = c.b();
  const Dim rows = b.shape(o.q)[0], queries = b.shape(o.q)[2], keys = b.shape(o.k)[2];
  const int64_t head_size = fixed_size(c, b.shape(o.q)[3], "the head size");
  double scale = c.real("scale", 0.0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(head_size));
  Value scores = b.mul(b.matmul(o.q, o.k, false, true), scale);
  if (c.has(added)) scores = b.add(scores, c.in(added));
  if (c.has(mask)) scores = b.add(scores, mask_bias(c, c.in(mask), rows, keys));
  if (c.integer("unidirectional", 0) != 0) scores = b.add(scores, causal_bias(c, queries, keys));
  const Value weights = b.op("softmax", {scores}, {{"axis", ints({3})}});
  c.out(0, merge_heads(b, b.matmul(weights, o.v)));
}

void lower_attention(NodeContext& c) {
  if (c.has(4) || c.has(6) || c.wants(1)) c.unsupported("keys and values of earlier runs (past, present)");
  if (c.integer("do_rotary", 0) != 0) c.unsupported("do_rotary = 1");
  Builder& b = c.b();
  const int64_t heads = c.integer("num_heads");
  Value product = b.matmul(c.in(0), c.in(1));
  if (c.has(2)) product = b.add(product, c.in(2));
  if (b.rank(product) != 3) c.refuse("the input has shape {}; expected rank 3", to_string(b.shape(c.in(0))));
  const int64_t width = fixed_size(c, b.shape(product)[2], "the width of the weights");
  const auto sizes = c.integers("qkv_hidden_sizes", {width / 3, width / 3, width - width / 3 * 2});
  int64_t total = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || size > width) c.refuse("qkv_hidden_sizes holds {} for weights of width {}", size, width);
    total += size;
  }
  if (sizes.size() != 3 || sizes[0] != sizes[1] || total != width) {
    c.refuse("queries, keys and values do not fit the weights' width of {}", width);
  }
  const auto part = [&](size_t i, int64_t start) {
    return split_heads(c, b.slice(product, 2, start, sizes[i]), heads);
  };
  attend(c, {part(0, 0), part(1, sizes[0]), part(2, 2 * sizes[0])}, 3, 5);
}

void lower_multi_head(NodeContext& c) {
  if (c.has(8) || c.has(9) || c.wants(3)) c.unsupported("buffers of earlier runs, or scores as an output");
  if (!c.has(1) || !c.has(2)) c.unsupported("queries, keys and values packed into one operand");
  Builder& b = c.b();
  const int64_t heads = c.integer("num_heads");
  const auto operand = [&](size_t at, int64_t first, int64_t size) {
    Value x = c.in(at);
    if (b.rank(x) == 4) return x;  // in heads already, and biased
    if (c.has(3)) x = b.add(x, b.slice(c.in(3), 0, first, size));
    return split_heads(c, x, heads);
  };
  const auto width = [&](size_t at) { return fixed_size(c, b.shape(c.in(at)).back(), "the width of an operand"); };
  const int64_t hidden = width(0);
  Operands o{operand(0, 0, hidden), operand(1, hidden, hidden), operand(2, 2 * hidden, width(2))};
  if (c.has(6) != c.has(7)) c.refuse("past_key and past_value go together");
  if (c.has(6)) {
    o.k = b.concat({c.in(6), o.k}, 2);
    o.v = b.concat({c.in(7), o.v}, 2);
  }
  c.out(1, o.k);
  c.out(2, o.v);
  attend(c, o, 4, 5);
}

const RegisterLowering attention({"com.microsoft.Attention", 1,
                                  "do_rotary mask_filter_value num_heads past_present_share_buffer qkv_hidden_sizes "
                                  "rotary_embedding_dim scale unidirectional"},
                                 lower_attention, "without past, present and do_rotary");
const RegisterLowering multi_head({"com.microsoft.MultiHeadAttention", 1,
                                   "mask_filter_value num_heads scale unidirectional"},
                                  lower_multi_head, "without packed operands and buffers of earlier runs");

}  // namespace
}  // namespace ascribe::core::lowering_fused_attention
