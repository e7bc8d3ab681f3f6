// RotaryEmbedding: pairs of numbers of each head are turned by an angle that grows with the position, given by tables
// of cosines and sines. Pairs are neighbours (interleaved), or the two halves of what is turned.
#include "onnx/lowering/heads.h"

namespace ascribe::core::lowering_rotary_embedding {
namespace {

struct Table {
  Value cosine, sine;  // [B or 1, S, R / 2]
};

// Rows of the tables by position; a single number is where the positions begin.
Table at_positions(NodeContext& c, Value ids, Value cosine, Value sine, Dim length) {
  Builder& b = c.b();
  if (b.rank(cosine) != 2 || b.rank(sine) != 2) c.refuse("a table has rank {}; expected 2", b.rank(cosine));
  if (b.rank(ids) == 1) {
    const int64_t count = fixed_size(c, length, "the number of positions");
    table_size(c, {count});
    ids = b.reshape(b.add(ids, integer_range(b, count)), {1, count});
  }
  const auto rows = [&](Value table) { return b.op("gather", {table, ids}, {{"axis", ints({0})}}); };
  return {rows(cosine), rows(sine)};
}

// x: [B, heads, S, R], R even.
Value turned(NodeContext& c, Value x, const Table& table, bool interleaved) {
  Builder& b = c.b();
  const Dims shape = b.shape(x);
  const Dim half = divide(shape[3], 2, c.where());
  // The two of a pair lie side by side along the last axis, or along the one before it.
  const int64_t pair = interleaved ? 4 : 3;
  Dims apart = {shape[0], shape[1], shape[2], half, 2};
  if (!interleaved) std::swap(apart[3], apart[4]);
  const Value pairs = b.reshape(x, apart);
  Dims alone = apart;
  alone.erase(alone.begin() + pair);
  const Value first = b.reshape(b.slice(pairs, pair, 0, 1), alone);
  const Value second = b.reshape(b.slice(pairs, pair, 1, 1), alone);
  const auto spread = [&](Value part) {
    const Dims own = b.shape(part);
    if (own.size() != 3) c.refuse("a table has shape {}; expected rank 3", to_string(own));
    return b.reshape(part, {own[0], 1, own[1], own[2]});
  };
  const Value cosine = spread(table.cosine), sine = spread(table.sine);
  const Value left = b.sub(b.mul(first, cosine), b.mul(second, sine));
  const Value right = b.add(b.mul(first, sine), b.mul(second, cosine));
  return b.reshape(b.concat({unsqueeze(b, left, {pair}), unsqueeze(b, right, {pair})}, pair), shape);
}

// `given`: the whole input, [B, S, heads * D] or [B, heads, S, D]. The first `size` numbers of each head are turned.
Value rotate(NodeContext& c, Value given, const Table& table, int64_t heads, int64_t size) {
  Builder& b = c.b();
  const bool merged = b.rank(given) == 3;
  Value x = given;
  if (merged) {
    const int64_t width = fixed_size(c, b.shape(given)[2], "the width of the input");
    const int64_t table_width = 2 * fixed_size(c, b.shape(table.cosine).back(), "the width of the tables");
    if (heads == 0 && size == 0 && table_width > 0) heads = width / table_width;
    x = split_heads(c, given, heads);
  }
  if (b.rank(x) != 4) c.refuse("the input has shape {}; expected rank 3 or 4", to_string(b.shape(given)));
  const int64_t whole = fixed_size(c, b.shape(x)[3], "the head size");
  if (size == 0) size = whole;
  if (size < 0 || size > whole || size % 2 != 0) c.refuse("{} numbers of a head of {} cannot be turned", size, whole);
  Value y = turned(c, size == whole ? x : b.slice(x, 3, 0, size), table, c.integer("interleaved", 0) != 0);
  if (size < whole) y = b.concat({y, b.slice(x, 3, size, whole - size)}, 3);
  return merged ? merge_heads(b, y) : y;
}

Dim length_of(const NodeContext& c) {
  const Dims& shape = c.b().shape(c.in(0));
  if (shape.size() != 3 && shape.size() != 4)
    c.refuse("the input has shape {}; expected rank 3 or 4", to_string(shape));
  return shape[shape.size() - 2];
}

void lower_standard(NodeContext& c) {
  Table table{c.in(1), c.in(2)};
  if (c.has(3)) table = at_positions(c, c.in(3), c.in(1), c.in(2), length_of(c));
  c.out(0, rotate(c, c.in(0), table, c.integer("num_heads", 0), c.integer("rotary_embedding_dim", 0)));
}

void lower_own(NodeContext& c) {
  if (c.integer("is_packed_batching", 0) != 0) c.unsupported("is_packed_batching = 1");
  if (c.real("scale", 1.0) != 1) c.unsupported("a scale of {}", c.real("scale", 1.0));
  const Table table = at_positions(c, c.in(1), c.in(2), c.in(3), length_of(c));
  c.out(0, rotate(c, c.in(0), table, c.integer("num_heads", 0), c.integer("rotary_embedding_dim", 0)));
}

const RegisterLowering standard({"RotaryEmbedding", 23, "interleaved num_heads rotary_embedding_dim"}, lower_standard);
const RegisterLowering own({"com.microsoft.RotaryEmbedding", 1,
                            "interleaved is_packed_batching num_heads rotary_embedding_dim scale"},
                           lower_own, "without packed batches and scale");

}  // namespace
}  // namespace ascribe::core::lowering_rotary_embedding
