// LinearClassifier: scores W x + b of each class. One score for two classes is that of the second; the first gets what
// is left to 1, as ONNX Runtime has it.
#include "onnx/lowering/tables.h"

namespace ascribe::core::lowering_linear_classifier {
namespace {

Value linear_scores(NodeContext& c, Value x) {
  Builder& b = c.b();
  const int64_t features = feature_count(c, x);
  const std::vector<double> coefficients = finite_reals(c, "coefficients");
  const int64_t scores = std::ssize(coefficients) / std::max<int64_t>(features, 1);
  if (scores < 1 || scores * features != std::ssize(coefficients)) {
    c.refuse("coefficients has {} numbers; expected a multiple of the {} features", coefficients.size(), features);
  }
  const Value y = b.matmul(x, matrix(b, coefficients, scores, features), false, true);
  if (!c.has_attribute("intercepts")) return y;
  return b.add(y, b.constant(Tensor::of<double>({scores}, finite_reals(c, "intercepts", scores))));
}

// The scores of two classes from that of the second.
Value of_two(NodeContext& c, Value score) {
  Builder& b = c.b();
  const std::string transform = c.text("post_transform", "NONE");
  if (transform == "PROBIT") c.unsupported("post_transform PROBIT of one score for two classes");
  if (transform == "LOGISTIC") return b.concat({logistic(b, b.op("neg", {score})), logistic(b, score)}, 1);
  return b.concat({b.sub(b.scalar(1), score), score}, 1);
}

Value positive(Builder& b, Value score) { return b.cast(above(b, squeeze(b, score, {1}), 0), Kind::integer); }

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Classes classes = classes_of(c, "classlabels_ints", "classlabels_strings");
  const Value raw = linear_scores(c, feature_rows(c));
  const int64_t scores = b.shape(raw)[1].fixed;
  const bool two = scores == 1 && classes.count() == 2;
  if (!two && scores != classes.count()) c.refuse("got {} scores for {} classes", scores, classes.count());
  const Value result = two ? of_two(c, raw) : transformed(c, raw);
  put_labels(c, classes, two ? positive(b, raw) : top_place(b, raw));
  c.name_classes(result, classes.labels);
  c.out(1, result, "float32");
}

const RegisterLowering classifier(
    {"ai.onnx.ml.LinearClassifier", 1,
     "classlabels_ints classlabels_strings coefficients intercepts multi_class post_transform"},
    lower);

}  // namespace
}  // namespace ascribe::core::lowering_linear_classifier
