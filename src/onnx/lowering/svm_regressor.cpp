// SVMRegressor: sum_v a_v k(x, v) + rho; without support vectors a x + rho. With one_class its sign.
#include "onnx/lowering/support_vectors.h"

namespace ascribe::core::lowering_svm_regressor {
namespace {

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Value x = feature_rows(c);
  const int64_t count = c.integer("n_supports", 0);
  const std::vector<double> rho = finite_reals(c, "rho");
  if (rho.empty()) c.refuse("rho is missing");
  if (count < 0) c.refuse("n_supports is {}", count);
  const Value terms = count == 0 ? x : kernels(c, x, count);
  const int64_t size = count == 0 ? feature_count(c, x) : count;
  Value y = b.add(b.matmul(terms, matrix(b, finite_reals(c, "coefficients", size), size, 1)), rho[0]);
  if (c.integer("one_class", 0) != 0) {
    y = b.op("where", {above(b, y, 0), b.scalar(1), b.scalar(-1)});
  }
  c.out(0, y, "float32");
}

const RegisterLowering regressor(
    {"ai.onnx.ml.SVMRegressor", 1,
     "coefficients kernel_params kernel_type n_supports one_class post_transform rho support_vectors"},
    lower, "post_transform changes nothing, as in ONNX Runtime");

}  // namespace
}  // namespace ascribe::core::lowering_svm_regressor
