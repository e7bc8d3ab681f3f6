// What the operators of ai.onnx.ml share: rows of features, classes with their labels, what is done to scores at last.
// All of it as ONNX Runtime computes it, where the standard leaves room.
#pragma once

#include "onnx/lowering/support.h"

namespace ascribe::core {

// Operand 0 as real rows of features [N, C]; one row may come without the axis of rows.
Value feature_rows(const NodeContext& c);
int64_t feature_count(const NodeContext& c, Value rows);

// An attribute of real numbers, all of them finite; empty if it is not given.
std::vector<double> finite_reals(const NodeContext& c, std::string_view name);
// As finite_reals, of this many numbers.
std::vector<double> finite_reals(const NodeContext& c, std::string_view name, int64_t count);
// One number for all features, or one for each, as a constant that meets [N, C].
Value per_feature(const NodeContext& c, const std::vector<double>& numbers, std::string_view name, int64_t features);
Value matrix(Builder& b, const std::vector<double>& numbers, int64_t rows, int64_t columns);

struct Classes {
  std::vector<std::string> labels;
  std::vector<int64_t> codes;  // the integers that are the labels, or codes of the texts
  bool texts = false;
  int64_t count() const { return static_cast<int64_t>(labels.size()); }
};
// The attributes that name classes as integers and as texts; one of them is given.
Classes classes_of(const NodeContext& c, std::string_view integers, std::string_view texts);
// Output 0: the label at `place` of each row (integers [N]).
void put_labels(NodeContext& c, const Classes& classes, Value place);
// The first largest element of each row.
Value top_place(Builder& b, Value scores);

// The attribute post_transform, applied to scores [N, K] of several classes or targets.
Value transformed(const NodeContext& c, Value scores);
// The same by name: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT.
Value post_transformed(const NodeContext& c, Value scores, const std::string& name);
Value logistic(Builder& b, Value x);
Value above(Builder& b, Value x, double limit);  // x > limit
Value probit(Builder& b, Value x);

}  // namespace ascribe::core
