// SVMClassifier: one decision for every two classes; with prob_a and prob_b, probabilities of the classes by Platt's
// scaling and the pairwise coupling of Wu, Lin and Weng (2004), which goes on until it is near enough. Without support
// vectors: linear scores of each class.
#include "onnx/lowering/support_vectors.h"

namespace ascribe::core::lowering_svm_classifier {
namespace {

constexpr int kRounds = 8;  // 4 were the most that random decisions took, for 2 to 10 classes
constexpr double kLeastProbability = 1e-7;
constexpr int64_t kMostClasses = 1024;
constexpr int64_t kMostCoupled = 64;  // the coupling takes some hundred operations for each class

std::vector<int64_t> vectors_of(const NodeContext& c) {
  std::vector<int64_t> counts = c.integers("vectors_per_class", {});
  for (const int64_t count : counts) {
    if (count < 0 || count > kLargestTable) c.refuse("vectors_per_class holds {}", count);
  }
  return counts;
}

// Coefficients of the decisions between classes i < j, and a decision's place: 0-1, 0-2, ..., 1-2, ...
Value decisions(const NodeContext& c, Value kernel, const std::vector<int64_t>& counts, int64_t total) {
  Builder& b = c.b();
  const int64_t classes = std::ssize(counts), pairs = classes * (classes - 1) / 2;
  const std::vector<double> given = finite_reals(c, "coefficients", (classes - 1) * total);
  std::vector<double> weights(static_cast<size_t>(table_size(c, {total, pairs})), 0.0);
  std::vector<int64_t> first = {0};
  for (const int64_t count : counts) first.push_back(first.back() + count);
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      for (int64_t v = first[i]; v < first[i + 1]; ++v) weights[v * pairs + pair] = given[(j - 1) * total + v];
      for (int64_t v = first[j]; v < first[j + 1]; ++v) weights[v * pairs + pair] = given[i * total + v];
    }
  }
  const Value rho = b.constant(Tensor::of<double>({pairs}, finite_reals(c, "rho", pairs)));
  return b.add(b.matmul(kernel, matrix(b, weights, total, pairs)), rho);
}

// How many decisions each class wins: [N, classes]
Value votes(Builder& b, Value decision, int64_t classes) {
  const int64_t pairs = classes * (classes - 1) / 2;
  std::vector<double> won(static_cast<size_t>(pairs * classes), 0.0), lost = won;
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      won[pair * classes + i] = 1;
      lost[pair * classes + j] = 1;
    }
  }
  const Value first = b.cast(above(b, decision, 0), Kind::real);
  return b.add(b.matmul(first, matrix(b, won, pairs, classes)),
               b.matmul(b.sub(b.scalar(1), first), matrix(b, lost, pairs, classes)));
}

// r_ij: that it is i, if it is i or j. [N, pairs], clipped.
Value pairwise(const NodeContext& c, Value decision, int64_t pairs) {
  Builder& b = c.b();
  const Value a = b.constant(Tensor::of<double>({pairs}, finite_reals(c, "prob_a", pairs)));
  const Value offset = b.constant(Tensor::of<double>({pairs}, finite_reals(c, "prob_b", pairs)));
  const Value r = logistic(b, b.op("neg", {b.add(b.mul(decision, a), offset)}));
  return b.op("minimum", {b.op("maximum", {r, b.scalar(kLeastProbability)}), b.scalar(1 - kLeastProbability)});
}

// The coupling, a class a time: p minimises p' Q p over the simplex.
class Coupling {
 public:
  Coupling(const NodeContext& c, Value r, int64_t classes) : b_(c.b()), classes_(classes) {
    const Dim rows = b_.shape(r)[0];
    std::vector<std::vector<Value>> probability(classes, std::vector<Value>(classes));
    int64_t pair = 0;
    for (int64_t i = 0; i < classes; ++i) {
      for (int64_t j = i + 1; j < classes; ++j, ++pair) {
        probability[i][j] = b_.slice(r, 1, pair, 1);
        probability[j][i] = b_.sub(b_.scalar(1), probability[i][j]);
      }
    }
    for (int64_t i = 0; i < classes; ++i) rows_.push_back(row(probability, i));
    for (int64_t i = 0; i < classes; ++i) diagonal_.push_back(b_.slice(rows_[i], 1, i, 1));
    p_ = b_.expand(b_.scalar(1.0 / static_cast<double>(classes)), {rows, classes});
  }

  Value run() {
    for (int round = 0; round < kRounds; ++round) go_on();
    return p_;
  }

 private:
  // Row i of Q: the sum of r_ji^2, and -r_ji r_ij.
  Value row(const std::vector<std::vector<Value>>& r, int64_t i) {
    std::vector<Value> parts(classes_);
    Value sum;
    for (int64_t j = 0; j < classes_; ++j) {
      if (j == i) continue;
      const Value square = b_.mul(r[j][i], r[j][i]);
      sum = sum.valid() ? b_.add(sum, square) : square;
      parts[j] = b_.op("neg", {b_.mul(r[j][i], r[i][j])});
    }
    parts[i] = sum;
    return b_.concat(parts, 1);
  }

  Value dot(Value a, Value c) { return b_.reduce("reduce_sum", b_.mul(a, c), {1}, true); }

  // Rows that are near enough stay.
  void go_on() {
    Value p = p_;
    std::vector<Value> products;
    for (int64_t i = 0; i < classes_; ++i) products.push_back(dot(rows_[i], p));
    Value qp = b_.concat(products, 1), pqp = dot(p, qp);
    const Value error = b_.reduce("reduce_max", b_.op("abs", {b_.sub(qp, pqp)}), {1}, true);
    const Value done = b_.op("less", {error, b_.scalar(0.005 / static_cast<double>(classes_))});
    for (int64_t i = 0; i < classes_; ++i) {
      const Value own = b_.slice(qp, 1, i, 1), step = b_.div(b_.sub(pqp, own), diagonal_[i]);
      const Value shrink = b_.op("reciprocal", {b_.add(step, 1.0)});
      const Value more = b_.mul(step, b_.add(b_.mul(step, diagonal_[i]), b_.mul(own, 2.0)));
      pqp = b_.mul(b_.mul(b_.add(pqp, more), shrink), shrink);
      qp = b_.mul(b_.add(qp, b_.mul(step, rows_[i])), shrink);
      p = b_.mul(b_.add(p, b_.mul(step, unit(i))), shrink);
    }
    p_ = b_.op("where", {done, p_, p});
  }

  Value unit(int64_t i) {
    std::vector<double> one(static_cast<size_t>(classes_), 0.0);
    one[i] = 1;
    return matrix(b_, one, 1, classes_);
  }

  Builder& b_;
  int64_t classes_;
  std::vector<Value> rows_, diagonal_;
  Value p_;
};

// One decision d for two classes, as ONNX Runtime writes it.
Value of_two(const NodeContext& c, Value d) {
  Builder& b = c.b();
  const std::string transform = c.text("post_transform", "NONE");
  const Value minus = b.op("neg", {d});
  if (transform == "NONE") return b.concat({minus, d}, 1);
  if (transform == "LOGISTIC") return b.concat({logistic(b, minus), logistic(b, d)}, 1);
  if (transform == "SOFTMAX" || transform == "SOFTMAX_ZERO") return b.concat({b.sub(b.scalar(1), d), d}, 1);
  if (transform == "PROBIT") c.unsupported("post_transform PROBIT of one decision between two classes");
  return transformed(c, d);  // refuses
}

void lower_linear(NodeContext& c, const Classes& classes, Value x) {
  Builder& b = c.b();
  const int64_t features = feature_count(c, x);
  const std::vector<double> weights = finite_reals(c, "coefficients", classes.count() * features);
  const std::vector<double> rho = finite_reals(c, "rho");
  if (rho.empty()) c.refuse("rho is missing");
  const Value scores = b.add(b.matmul(x, matrix(b, weights, classes.count(), features), false, true), rho[0]);
  put_labels(c, classes, top_place(b, scores));
  const Value result = transformed(c, scores);
  c.name_classes(result, classes.labels);
  c.out(1, result, "float32");
}

void lower(NodeContext& c) {
  Builder& b = c.b();
  const Classes classes = classes_of(c, "classlabels_ints", "classlabels_strings");
  const Value x = feature_rows(c);
  const std::vector<int64_t> counts = vectors_of(c);
  int64_t total = 0;
  for (const int64_t count : counts) total += count;
  if (classes.count() > kMostClasses)
    c.unsupported("got {} classes; at most {} are read", classes.count(), kMostClasses);
  if (total == 0) return lower_linear(c, classes, x);
  if (std::ssize(counts) != classes.count() || classes.count() < 2) {
    c.refuse("vectors_per_class has {} numbers for {} classes; expected as many, and at least 2", counts.size(),
             classes.count());
  }
  if (total > kLargestTable) c.refuse("got {} support vectors", total);
  const Value decision = decisions(c, kernels(c, x, total), counts, total);
  if (c.has_attribute("prob_a") && !c.reals("prob_a", {}).empty()) {
    if (classes.count() > kMostCoupled) {
      c.unsupported("got probabilities of {} classes; at most {} are read", classes.count(), kMostCoupled);
    }
    const Value r = pairwise(c, decision, classes.count() * (classes.count() - 1) / 2);
    const Value p = Coupling(c, r, classes.count()).run();
    put_labels(c, classes, top_place(b, p));
    const Value result = transformed(c, p);
    c.name_classes(result, classes.labels);
    return c.out(1, result, "float32");
  }
  put_labels(c, classes, top_place(b, votes(b, decision, classes.count())));
  const Value result = classes.count() == 2 ? of_two(c, decision) : transformed(c, decision);
  if (classes.count() == 2) c.name_classes(result, classes.labels);
  c.out(1, result, "float32");
}

const RegisterLowering classifier(
    {"ai.onnx.ml.SVMClassifier", 1,
     "classlabels_ints classlabels_strings coefficients kernel_params kernel_type post_transform prob_a prob_b rho "
     "support_vectors vectors_per_class"},
    lower, "the coupling of probabilities ends after 8 rounds, where ONNX Runtime allows 100");

}  // namespace
}  // namespace ascribe::core::lowering_svm_classifier
