// Imputer: one number of each feature, or what is no number, replaced by another.
#include <cmath>

#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_imputer {
namespace {

void lower_integers(NodeContext& c) {
  Builder& b = c.b();
  const std::vector<int64_t> values = c.integers("imputed_value_int64s", {});
  const Value x = c.in(0);
  const int64_t features = fixed_size(c, b.shape(x).empty() ? Dim(1) : b.shape(x).back(), "the number of features");
  if (values.size() != 1 && std::ssize(values) != features) {
    c.refuse("the attribute 'imputed_value_int64s' has {} numbers; expected 1 or {}", values.size(), features);
  }
  const Value imputed = b.constant(Tensor::of<int64_t>({std::ssize(values)}, values));
  c.out(0, b.op("where", {b.op("equal", {x, b.integer(c.integer("replaced_value_int64", 0))}), imputed, x}));
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const bool integers = c.has_attribute("imputed_value_int64s");
  if (integers == c.has_attribute("imputed_value_floats")) {
    c.refuse("the imputed values are given {}; expected as floats or as integers", integers ? "twice" : "in no way");
  }
  if (integers && b.kind(c.in(0)) == Kind::integer) return lower_integers(c);
  if (integers) c.refuse("the imputed values are integers, and the operand is not");
  const Value x = feature_rows(c);
  const Value imputed =
      per_feature(c, finite_reals(c, "imputed_value_floats"), "imputed_value_floats", feature_count(c, x));
  const double replaced = c.real("replaced_value_float", 0);
  const Value missing = std::isnan(replaced) ? b.op("is_nan", {x}) : b.op("equal", {x, b.scalar(replaced)});
  const Value y = b.op("where", {missing, imputed, x});
  c.out(0, b.rank(c.in(0)) == 1 ? squeeze(b, y, {0}) : y);
}

const RegisterLowering imputer({"ai.onnx.ml.Imputer", 1,
                                "imputed_value_floats imputed_value_int64s replaced_value_float replaced_value_int64"},
                               lower);

}  // namespace
}  // namespace ascribe::core::lowering_imputer
