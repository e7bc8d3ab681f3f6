// Normalizer: rows divided by their largest element (MAX, with its sign), sum of sizes (L1) or length (L2); rows for
// which that is 0 stay as they are.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_normalizer {
namespace {

Value norm_of(const NodeContext& c, Value x, const std::string& name) {
  Builder& b = c.b();
  if (name == "MAX") return b.reduce("reduce_max", x, {1}, true);
  if (name == "L1") return b.reduce("reduce_sum", b.op("abs", {x}), {1}, true);
  // A root of 0 has no derivative: it is kept away from where the row is not divided by it.
  const Value squares = b.reduce("reduce_sum", b.mul(x, x), {1}, true);
  const Value zero = b.op("equal", {squares, b.scalar(0)});
  return b.op("sqrt", {b.op("where", {zero, b.scalar(1), squares})});
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const std::string name = c.text("norm", "MAX");
  if (name != "MAX" && name != "L1" && name != "L2") c.refuse("norm is \"{}\"; expected MAX, L1 or L2", name);
  const bool row = b.rank(c.in(0)) == 1;
  const Value x = feature_rows(c);
  // The rows of a softmax sum to 1 already; so it stays the last operation of a classifier.
  const bool sums_to_one = name == "L1" && b.graph().is(x, "softmax");
  const Value norm = sums_to_one ? b.scalar(1) : norm_of(c, x, name);
  const Value divisor = b.op("where", {b.op("equal", {norm, b.scalar(0)}), b.scalar(1), norm});
  const Value y = sums_to_one ? x : b.div(x, divisor);
  c.out(0, row ? squeeze(b, y, {0}) : y, "float32");
}

const RegisterLowering normalizer({"ai.onnx.ml.Normalizer", 1, "norm"}, lower);

}  // namespace
}  // namespace ascribe::core::lowering_normalizer
