#include "onnx/lowering/support_vectors.h"

#include <cmath>

namespace ascribe::core {

namespace {

// Beyond this many numbers in the differences of a row to all vectors, squares of distances come from products.
constexpr int64_t kMostDifferences = int64_t{1} << 20;
constexpr double kLargestDegree = 64;

// |x - v|^2 from differences, which loses nothing; or as |x|^2 - 2 x v + |v|^2 about the vectors' mean, where what
// cancels is smallest.
Value squared_distances(const NodeContext& c, Value x, const std::vector<double>& vectors, int64_t count,
                        int64_t features) {
  Builder& b = c.b();
  if (count * features <= kMostDifferences) {
    const Value all = b.constant(Tensor::of<double>({1, count, features}, vectors));
    const Value difference = b.sub(unsqueeze(b, x, {1}), all);
    return b.reduce("reduce_sum", b.mul(difference, difference), {2}, false);
  }
  std::vector<double> mean(static_cast<size_t>(features), 0.0), centred = vectors, squares;
  for (size_t i = 0; i < vectors.size(); ++i) {
    mean[i % mean.size()] += vectors[i] / static_cast<double>(count);
  }
  for (size_t i = 0; i < centred.size(); ++i) {
    centred[i] -= mean[i % mean.size()];
    if (i % mean.size() == 0) squares.push_back(0);
    squares.back() += centred[i] * centred[i];
  }
  const Value y = b.sub(x, b.constant(Tensor::of<double>({features}, mean)));
  const Value own = b.reduce("reduce_sum", b.mul(y, y), {1}, true);
  const Value product = b.matmul(y, matrix(b, centred, count, features), false, true);
  const Value all = b.constant(Tensor::of<double>({count}, squares));
  return b.op("maximum", {b.add(b.add(own, all), b.mul(product, -2.0)), b.scalar(0)});
}

// Whole powers as products, whose derivatives of every order are defined everywhere.
Value power(const NodeContext& c, Value x, double degree) {
  Builder& b = c.b();
  if (degree < 0 || degree != std::floor(degree) || degree > kLargestDegree) {
    if (!std::isfinite(degree)) c.refuse("the degree of the kernel is {}", degree);
    return b.op("pow", {x, b.scalar(degree)});
  }
  if (degree == 0) return b.expand(b.scalar(1), b.shape(x));
  Value result, square = x;
  for (auto rest = static_cast<int64_t>(degree); rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = result.valid() ? b.mul(result, square) : square;
    if (rest > 1) square = b.mul(square, square);
  }
  return result;
}

}  // namespace

Value kernels(const NodeContext& c, Value x, int64_t count) {
  Builder& b = c.b();
  const int64_t features = feature_count(c, x);
  if (count < 1 || count > kLargestTable) c.refuse("got {} support vectors", count);
  const std::vector<double> vectors = finite_reals(c, "support_vectors", count * features);
  const std::string kind = c.text("kernel_type", "LINEAR");
  const std::vector<double> parameters = finite_reals(c, "kernel_params");
  if (kind != "LINEAR" && parameters.size() != 3) {
    c.refuse("kernel_params has {} numbers; expected gamma, coef0 and degree", parameters.size());
  }
  if (kind == "RBF") {
    return b.op("exp", {b.mul(squared_distances(c, x, vectors, count, features), -parameters[0])});
  }
  const Value product = b.matmul(x, matrix(b, vectors, count, features), false, true);
  if (kind == "LINEAR") return product;
  if (kind != "POLY" && kind != "SIGMOID") {
    c.refuse("kernel_type is \"{}\"; expected LINEAR, POLY, RBF or SIGMOID", kind);
  }
  const Value inner = b.add(b.mul(product, parameters[0]), parameters[1]);
  return kind == "SIGMOID" ? b.op("tanh", {inner}) : power(c, inner, parameters[2]);
}

}  // namespace ascribe::core
