// LinearRegressor: W x + b for each target. ONNX Runtime leaves one target as it is, unless post_transform is PROBIT.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_linear_regressor {
namespace {

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Value x = feature_rows(c);
  const int64_t features = feature_count(c, x), targets = c.integer("targets", 1);
  if (targets < 1 || targets > kLargestTable) c.refuse("targets is {}", targets);
  const std::vector<double> coefficients = finite_reals(c, "coefficients", targets * features);
  Value y = b.matmul(x, matrix(b, coefficients, targets, features), false, true);
  if (c.has_attribute("intercepts")) {
    y = b.add(y, b.constant(Tensor::of<double>({targets}, finite_reals(c, "intercepts", targets))));
  }
  const bool several = targets > 1 || c.text("post_transform", "NONE") == "PROBIT";
  const Value done = transformed(c, y);
  c.out(0, several ? done : y, "float32");
}

const RegisterLowering regressor(
    {"ai.onnx.ml.LinearRegressor", 1, "coefficients intercepts post_transform targets"}, lower,
    "post_transform of a single target changes nothing unless it is PROBIT, as in ONNX Runtime");

}  // namespace
}  // namespace ascribe::core::lowering_linear_regressor
