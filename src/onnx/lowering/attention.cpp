// Attention (opset 23): softmax(softcap(scale Q K^T) + bias) V per head, where the bias comes
// from attn_mask, is_causal and the window sizes (opset 25). [B, S, heads * D] is split into heads first; fewer key
// than query heads are repeated (grouped queries). Softcap comes before the mask, as the standard has it since its
// correction of 2026, so that masked places stay masked.
#include <cmath>
#include <limits>
#include <optional>

#include "onnx/lowering/heads.h"

namespace ascribe::core::lowering_attention {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Every head `times` times in a row.
Value repeat_heads(Builder& b, Value x, Dim times) {
  if (times == Dim(1)) return x;
  const Dims shape = b.shape(x);
  const Value apart = b.reshape(x, {shape[0], shape[1], 1, shape[2], shape[3]});
  return b.reshape(b.expand(apart, {shape[0], shape[1], times, shape[2], shape[3]}),
                   {shape[0], shape[1] * times, shape[2], shape[3]});
}

// Which keys a query at position p sees, apart from attn_mask: p - left <= j <= p + right; a negative bound is none.
struct Reach {
  int64_t left = -1, right = -1;
  bool bounded() const { return left >= 0 || right >= 0; }
};

Reach read_reach(const NodeContext& c) {
  Reach reach{c.integer("left_window_size", -1), c.integer("right_window_size", -1)};
  for (const int64_t size : {reach.left, reach.right}) {
    if (size < -1) c.refuse("a window size is {}; expected -1 (unbounded), 0 or more", size);
  }
  if (c.integer("is_causal", 0) != 0) reach.right = 0;  // the causal bound is the narrowest to the right
  return reach;
}

// 0 where the query at p = past + i may see key j, minus infinity elsewhere.
Value reach_bias(NodeContext& c, const Reach& reach, Dim queries, Dim keys, Dim past) {
  Builder& b = c.b();
  const int64_t rows = fixed_size(c, queries, "the query length"), columns = fixed_size(c, keys, "the key length");
  table_size(c, {rows, columns});
  const Value here =
      b.reshape(b.add(integer_range(b, rows), b.integer(fixed_size(c, past, "the past length"))), {rows, 1});
  const Value distance = b.sub(integer_range(b, columns), here);  // positive to the right
  Value bias = b.scalar(0);
  if (reach.right >= 0) {
    bias = b.op("where", {b.op("less_equal", {distance, b.integer(reach.right)}), bias, b.scalar(kNever)});
  }
  if (reach.left >= 0) {
    bias =
        b.op("where", {b.op("less_equal", {b.op("neg", {distance}), b.integer(reach.left)}), bias, b.scalar(kNever)});
  }
  return bias;
}

Value mask_bias(NodeContext& c, Value mask, Dim keys) {
  Builder& b = c.b();
  if (b.kind(mask) != Kind::real) mask = b.op("where", {b.cast(mask, Kind::boolean), b.scalar(0), b.scalar(kNever)});
  const int64_t rank = b.rank(mask);
  if (rank < 2) c.refuse("attn_mask has rank {}; expected 2 to 4", rank);
  const Dim own = b.shape(mask)[rank - 1];
  if (own == keys || own == Dim(1)) return mask;
  // A mask shorter than the keys leaves the rest out.
  std::vector<int64_t> before(rank, 0), after(rank, 0);
  after.back() = fixed_size(c, keys - own, "what the mask lacks");
  if (after.back() < 0) c.refuse("attn_mask is longer than the keys");
  return b.op("pad", {mask},
              {{"before", ints(before)},
               {"after", ints(after)},
               {"mode", std::string("constant")},
               {"value", reals({kNever})}});
}

struct Operands {
  Value q, k, v;  // [B, heads, S, D]
  Dim past = 0;
  bool merged = false;  // given as [B, S, heads * D]
};

Operands read_operands(NodeContext& c) {
  Builder& b = c.b();
  Operands o{.q = c.in(0), .k = c.in(1), .v = c.in(2)};
  const int64_t rank = b.rank(o.q);
  if ((rank != 3 && rank != 4) || b.rank(o.k) != rank || b.rank(o.v) != rank) {
    c.refuse("Q, K, V have ranks {}, {}, {}; expected all 3 or all 4", rank, b.rank(o.k), b.rank(o.v));
  }
  o.merged = rank == 3;
  if (o.merged) {
    o.q = split_heads(c, o.q, c.integer("q_num_heads"));
    o.k = split_heads(c, o.k, c.integer("kv_num_heads"));
    o.v = split_heads(c, o.v, c.integer("kv_num_heads"));
  }
  if (c.has(4) != c.has(5)) c.refuse("past_key and past_value go together");
  if (c.has(4)) {
    if (b.rank(c.in(4)) != 4) c.refuse("past_key has rank {}; expected 4", b.rank(c.in(4)));
    o.past = b.shape(c.in(4))[2];
    o.k = b.concat({c.in(4), o.k}, 2);
    o.v = b.concat({c.in(5), o.v}, 2);
  }
  return o;
}

// What is added to the scores; nothing if every query sees every key.
std::optional<Value> read_bias(NodeContext& c, Dim queries, Dim keys, Dim past) {
  std::optional<Value> bias;
  if (c.has(3)) bias = mask_bias(c, c.in(3), keys);
  const Reach reach = read_reach(c);
  if (!reach.bounded()) return bias;
  const Value own = reach_bias(c, reach, queries, keys, past);
  return bias ? c.b().add(*bias, own) : own;
}

// Softmax over the keys. A query that sees no key has weights of 0, not 0 / 0.
Value attention_weights(Builder& b, Value scores, const std::optional<Value>& bias) {
  const auto softmax = [&](Value x) { return b.op("softmax", {x}, {{"axis", ints({3})}}); };
  if (!bias) return softmax(scores);
  const Value largest = b.reduce("reduce_max", *bias, {b.rank(*bias) - 1}, true);
  const Value sees_any = b.op("less", {b.scalar(kNever), largest});
  const auto known = b.known(sees_any);
  bool all = known.has_value();
  for (int64_t i = 0; all && i < known->size(); ++i) all = known->at(i) != 0;
  if (all) return softmax(scores);
  return b.op("where", {sees_any, softmax(b.op("where", {sees_any, scores, b.scalar(0)})), b.scalar(0)});
}

void lower(NodeContext& c) {
  if (c.has(6)) c.unsupported("nonpad_kv_seqlen");
  Builder& b = c.b();
  Operands o = read_operands(c);
  if (c.wants(1)) c.out(1, o.k);
  if (c.wants(2)) c.out(2, o.v);
  const Dim repeats = divide(b.shape(o.q)[1], b.shape(o.k)[1], c.where());
  o.k = repeat_heads(b, o.k, repeats);
  o.v = repeat_heads(b, o.v, repeats);
  const Dim queries = b.shape(o.q)[2], keys = b.shape(o.k)[2];
  const int64_t head_size = fixed_size(c, b.shape(o.q)[3], "the head size");
  const double scale = c.real("scale", 1 / std::sqrt(static_cast<double>(head_size)));
  const double softcap = c.real("softcap", 0.0);
  const Value scores = b.mul(b.matmul(o.q, o.k, false, true), scale);
  const Value capped = softcap > 0 ? b.mul(b.op("tanh", {b.mul(scores, 1 / softcap)}), softcap) : scores;
  const auto bias = read_bias(c, queries, keys, o.past);
  const Value biased = bias ? b.add(capped, *bias) : capped;
  const Value weights = attention_weights(b, biased, bias);
  const Value result = b.matmul(weights, o.v);
  if (c.wants(0)) c.out(0, o.merged ? merge_heads(b, result) : result);
  if (!c.wants(3)) return;
  const int64_t mode = c.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) c.refuse("qk_matmul_output_mode is {}; expected 0 to 3", mode);
  c.out(3, std::array{scores, capped, biased, weights}[mode]);
}

const RegisterLowering attention({"Attention", 25,
                                  "is_causal kv_num_heads left_window_size:25 q_num_heads qk_matmul_output_mode "
                                  "right_window_size:25 scale softcap softmax_precision"},
                                 lower, "without nonpad_kv_seqlen");

}  // namespace
}  // namespace ascribe::core::lowering_attention
