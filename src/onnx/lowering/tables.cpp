#include "onnx/lowering/tables.h"

#include <cmath>
#include <numbers>

namespace ascribe::core {

Value feature_rows(const NodeContext& c) {
  Builder& b = c.b();
  if (c.is_text(0)) c.refuse("the operand holds texts; expected numbers");
  Value x = b.cast(c.in(0), Kind::real);
  if (b.rank(x) == 1) x = unsqueeze(b, x, {0});
  if (b.rank(x) != 2) c.refuse("the operand has shape {}; expected rows of features [N, C]", to_string(b.shape(x)));
  feature_count(c, x);
  return x;
}

int64_t feature_count(const NodeContext& c, Value rows) {
  return fixed_size(c, c.b().shape(rows)[1], "the number of features");
}

std::vector<double> finite_reals(const NodeContext& c, std::string_view name) {
  std::vector<double> numbers = c.reals(name, {});
  for (const double number : numbers) {
    if (!std::isfinite(number)) c.refuse("the attribute '{}' holds {}; expected finite numbers", name, number);
  }
  return numbers;
}

std::vector<double> finite_reals(const NodeContext& c, std::string_view name, int64_t count) {
  std::vector<double> numbers = finite_reals(c, name);
  if (std::ssize(numbers) != count) {
    c.refuse("the attribute '{}' has {} numbers; expected {}", name, numbers.size(), count);
  }
  return numbers;
}

Value per_feature(const NodeContext& c, const std::vector<double>& numbers, std::string_view name, int64_t features) {
  if (numbers.size() != 1 && std::ssize(numbers) != features) {
    c.refuse("the attribute '{}' has {} numbers; expected 1 or {}, one for each feature", name, numbers.size(),
             features);
  }
  return c.b().constant(Tensor::of<double>({std::ssize(numbers)}, numbers));
}

Value matrix(Builder& b, const std::vector<double>& numbers, int64_t rows, int64_t columns) {
  return b.constant(Tensor::of<double>({rows, columns}, numbers));
}

Classes classes_of(const NodeContext& c, std::string_view integers, std::string_view texts) {
  Classes classes;
  const std::vector<std::string> names = c.texts(texts, {});
  const std::vector<int64_t> numbers = c.integers(integers, {});
  if (names.empty() == numbers.empty()) {
    c.refuse("the classes are named by {}; expected one of '{}' and '{}'", names.empty() ? "nothing" : "two attributes",
             integers, texts);
  }
  classes.texts = !names.empty();
  classes.labels = names;
  classes.codes = numbers;
  for (const std::string& name : names) classes.codes.push_back(c.text_code(name));
  for (const int64_t number : numbers) classes.labels.push_back(std::to_string(number));
  return classes;
}

void put_labels(NodeContext& c, const Classes& classes, Value place) {
  if (!c.wants(0)) return;
  Builder& b = c.b();
  const Value codes = b.constant(Tensor::of<int64_t>({classes.count()}, classes.codes));
  c.out(0, b.op("gather", {codes, place}, {{"axis", ints({0})}}), classes.texts ? "string" : "int64");
}

Value top_place(Builder& b, Value scores) {
  return b.op("arg_max", {scores}, {{"axis", ints({1})}, {"keepdims", ints({0})}, {"select_last", ints({0})}});
}

Value above(Builder& b, Value x, double limit) { return b.op("less", {b.scalar(limit), x}); }

Value logistic(Builder& b, Value x) { return b.op("sigmoid", {x}); }

// sqrt(2) erfinv(2 x - 1) by Winitzki's formula, as ONNX Runtime has it.
Value probit(Builder& b, Value x) {
  constexpr double kA = 0.147;
  const Value y = b.add(b.mul(x, 2.0), -1.0);
  const Value log = b.op("log", {b.mul(b.sub(b.scalar(1), y), b.add(y, 1.0))});
  const Value v = b.add(b.mul(log, 0.5), 2.0 / (std::numbers::pi * kA));
  const Value root = b.op("sqrt", {b.sub(b.op("sqrt", {b.sub(b.mul(v, v), b.mul(log, 1.0 / kA))}), v)});
  const Value negative = b.op("less", {y, b.scalar(0)});
  return b.mul(b.op("where", {negative, b.op("neg", {root}), root}), std::numbers::sqrt2);
}

namespace {

// As softmax, but scores near 0 are left out of the sum and stay near 0.
Value softmax_zero(Builder& b, Value x) {
  constexpr double kNear = 1e-7;
  const Value most = b.reduce("reduce_max", x, {1}, true);
  const Value counts = above(b, b.op("abs", {x}), kNear);
  const Value exponentials = b.op("exp", {b.sub(x, most)});
  const Value counted = b.op("where", {counts, exponentials, b.scalar(0)});
  const Value rest = b.mul(x, b.op("exp", {b.op("neg", {most})}));
  return b.div(b.op("where", {counts, exponentials, rest}), b.reduce("reduce_sum", counted, {1}, true));
}

}  // namespace

Value transformed(const NodeContext& c, Value scores) {
  return post_transformed(c, scores, c.text("post_transform", "NONE"));
}

Value post_transformed(const NodeContext& c, Value scores, const std::string& name) {
  Builder& b = c.b();
  if (name == "NONE") return scores;
  if (name == "LOGISTIC") return logistic(b, scores);
  if (name == "SOFTMAX") return b.op("softmax", {scores}, {{"axis", ints({1})}});
  if (name == "SOFTMAX_ZERO") return softmax_zero(b, scores);
  if (name == "PROBIT") return probit(b, scores);
  c.refuse("post_transform is \"{}\"; expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT", name);
}

}  // namespace ascribe::core
