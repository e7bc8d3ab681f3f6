#include "onnx/lowering/trees.h"

#include <numbers>

#include "graph/tree_ensemble.h"

namespace ascribe::core {

namespace {

// exp of what is not zero, as shares of their sum; what is within 1e-7 of zero stays nearly zero.
Value softmax_zero(Builder& b, Value scores) {
  const Value largest = b.reduce("reduce_max", scores, {1}, true);
  const Value counts = b.op("less", {b.scalar(1e-7), b.op("abs", {scores})});
  const Value powers = b.op("exp", {b.sub(scores, largest)});
  const Value small = b.mul(scores, b.op("exp", {b.op("neg", {largest})}));
  const Value sum = b.reduce("reduce_sum", b.op("where", {counts, powers, b.scalar(0)}), {1}, true);
  return b.div(b.op("where", {counts, powers, small}), sum);
}

// The quantile of the normal distribution by Winitzki's approximation, which runtimes use.
Value probit(Builder& b, Value scores) {
  constexpr double kShape = 0.147;
  const Value x = b.add(b.mul(scores, 2.0), -1.0);
  const Value log = b.op("log", {b.mul(b.sub(b.scalar(1), x), b.add(x, 1.0))});
  const Value v = b.add(b.mul(log, 0.5), 2 / (std::numbers::pi * kShape));
  const Value root = b.op("sqrt", {b.sub(b.mul(v, v), b.mul(log, 1 / kShape))});
  return b.mul(b.mul(b.op("sign", {x}), b.op("sqrt", {b.sub(root, v)})), std::numbers::sqrt2);
}

}  // namespace

void expect_targets(const NodeContext& c, int64_t targets) {
  if (targets < 1 || targets > kLargestTable) c.refuse("got {} targets; expected 1 to {}", targets, kLargestTable);
}

bool compares_single(const NodeContext& c) { return c.element_type(0) != "float64"; }

Value tree_rows(NodeContext& c, TreeEnsemble trees) {
  trees.single = compares_single(c);
  settle(trees, c.where());
  return c.b().op("tree_ensemble", {c.b().cast(c.in(0), Kind::real)}, tree_attributes(std::move(trees)));
}

Value post_transformed(const NodeContext& c, Value scores, const std::string& transform) {
  Builder& b = c.b();
  if (transform == "NONE") return scores;
  if (transform == "SOFTMAX") return b.op("softmax", {scores}, {{"axis", ints({1})}});
  if (transform == "LOGISTIC") return b.op("sigmoid", {scores});
  if (transform == "SOFTMAX_ZERO") return softmax_zero(b, scores);
  if (transform == "PROBIT") return probit(b, scores);
  c.refuse("post_transform is \"{}\"; expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT", transform);
}

}  // namespace ascribe::core
