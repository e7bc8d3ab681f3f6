// Normalisations as ONNX Runtime fuses them: SkipLayerNormalization (of a sum), SimplifiedLayerNormalization (by the
// root of the mean square, without a mean; its domain is the standard's, though it is not of the standard),
// SkipSimplifiedLayerNormalization, and EmbedLayerNormalization (of summed embeddings).
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_skip_normalization {
namespace {

// Along the last axis.
Value centred_and_scaled(NodeContext& c, Value x, double epsilon) {
  return c.b().op("normalize", {x}, {{"axes", ints({c.b().rank(x) - 1})}, {"epsilon", reals({epsilon})}});
}

Value by_mean_square(NodeContext& c, Value x, const std::vector<int64_t>& axes, double epsilon) {
  Builder& b = c.b();
  return b.div(x, b.op("sqrt", {b.add(b.reduce("reduce_mean", b.mul(x, x), axes, true), epsilon)}));
}

// Input and skip, and the bias where it is given.
Value summed(NodeContext& c, size_t bias) {
  Builder& b = c.b();
  const Value sum = b.add(c.in(0), c.in(1));
  return c.has(bias) ? b.add(sum, c.in(bias)) : sum;
}

void refuse_statistics(const NodeContext& c) {
  if (c.wants(1) || c.wants(2)) c.unsupported("the mean and the deviation as outputs");
}

void lower_skip(NodeContext& c) {
  refuse_statistics(c);
  Builder& b = c.b();
  const Value sum = summed(c, 4);
  Value y = b.mul(centred_and_scaled(c, sum, c.real("epsilon", 1e-12)), c.in(2));
  if (c.has(3)) y = b.add(y, c.in(3));
  c.out(0, y);
  c.out(3, sum);
}

void lower_skip_simplified(NodeContext& c) {
  refuse_statistics(c);
  const Value sum = summed(c, 3);
  c.out(0, c.b().mul(by_mean_square(c, sum, {c.b().rank(sum) - 1}, c.real("epsilon", 1e-12)), c.in(2)));
  c.out(3, sum);
}

void lower_simplified(NodeContext& c) {
  if (c.wants(1)) c.unsupported("the deviation as an output");
  const int64_t rank = c.b().rank(c.in(0));
  const auto axes = axes_from(axis_attribute(c, -1, rank), rank);
  c.out(0, c.b().mul(by_mean_square(c, c.in(0), axes, c.real("epsilon", 1e-5)), c.in(1)));
}

Value looked_up(Builder& b, Value table, Value ids) { return b.op("gather", {table, ids}, {{"axis", ints({0})}}); }

// Rows of the table of positions: those named, or the first ones.
Value positions(NodeContext& c, Dim length) {
  Builder& b = c.b();
  const Value table = c.in(3);
  if (c.has(8)) return looked_up(b, table, c.in(8));
  const int64_t count = fixed_size(c, length, "the number of positions");
  if (b.shape(table).size() != 2 || b.shape(table)[0].fixed < count) {
    c.refuse("there are {} positions for a table of shape {}", count, to_string(b.shape(table)));
  }
  return b.slice(table, 0, 0, count);
}

// How many entries of each row of the mask count; 0 without one.
Value mask_lengths(NodeContext& c) {
  Builder& b = c.b();
  const Value ids = c.in(0);
  if (!c.has(7)) return b.expand(b.integer(0), {b.shape(ids)[0]});
  return b.reduce("reduce_sum", c.in(7), {1}, false);
}

void lower_embed(NodeContext& c) {
  if (c.integer("mask_index_type", 0) > 1) c.unsupported("mask_index_type {}", c.integer("mask_index_type"));
  Builder& b = c.b();
  const Value ids = c.in(0);
  if (b.rank(ids) != 2) c.refuse("input_ids have rank {}; expected 2", b.rank(ids));
  Value sum = b.add(looked_up(b, c.in(2), ids), positions(c, b.shape(ids)[1]));
  if (c.has(4)) {
    const Value segments = c.has(1) ? c.in(1) : b.expand(b.integer(0), b.shape(ids));
    sum = b.add(sum, looked_up(b, c.in(4), segments));
  }
  const Value y = centred_and_scaled(c, sum, c.real("epsilon", 1e-12));
  c.out(0, b.add(b.mul(y, c.in(5)), c.in(6)));
  if (c.wants(1)) c.out(1, mask_lengths(c));
  if (c.wants(2)) c.out(2, sum);
}

const RegisterLowering skip({"com.microsoft.SkipLayerNormalization", 1, "epsilon"}, lower_skip,
                            "without mean and deviation as outputs");
const RegisterLowering skip_simplified({"com.microsoft.SkipSimplifiedLayerNormalization", 1, "epsilon"},
                                       lower_skip_simplified, "without mean and deviation as outputs");
const RegisterLowering simplified({"SimplifiedLayerNormalization", 1, "axis epsilon stash_type"}, lower_simplified,
                                  "without the deviation as an output");
const RegisterLowering embed({"com.microsoft.EmbedLayerNormalization", 1, "epsilon mask_index_type"}, lower_embed);

}  // namespace
}  // namespace ascribe::core::lowering_skip_normalization
