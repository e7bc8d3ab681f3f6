// What the lowerings share: axes in either of their two forms, small constants, and
// dimensions worked out for any batch.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "graph/op_support.h"
#include "onnx/lowering.h"

namespace ascribe::core {

// Tables a lowering makes itself (ranges, masks, sampling positions) stay below this.
inline constexpr int64_t kLargestTable = int64_t{1} << 24;

// The name of a core operation as a template argument, for operators that are one.
template <size_t Size>
struct Literal {
  char text[Size];
  constexpr Literal(const char (&value)[Size]) { std::copy_n(value, Size, text); }  // NOLINT: implicit by design
};

// Operand 1 of an operator of two, laid along the attribute `axis` of operand 0 where opsets before 7 say so.
Value second_operand(const NodeContext& c);

template <Literal Name>
void lower_unary(NodeContext& c) {
  c.out(0, c.b().op(Name.text, {c.in(0)}));
}
template <Literal Name>
void lower_binary(NodeContext& c) {
  c.out(0, c.b().op(Name.text, {c.in(0), second_operand(c)}));
}

// The attribute `axis`, normalised.
int64_t axis_attribute(const NodeContext& c, int64_t otherwise, int64_t rank);
// Non-negative, ascending; refuses repeats and what is out of range.
std::vector<int64_t> normal_axes(const NodeContext& c, std::vector<int64_t> axes, int64_t rank);
// Integers that were the attribute `name` and became operand `input`; nothing if given in neither way.
std::optional<std::vector<int64_t>> integers_of(const NodeContext& c, std::string_view name, size_t input);
// All axes from `first` on.
std::vector<int64_t> axes_from(int64_t first, int64_t rank);

// A dimension that must not depend on the batch.
int64_t fixed_size(const NodeContext& c, Dim dim, std::string_view what);
// An operand that holds one number.
double one_real(const NodeContext& c, size_t input, std::string_view what);
int64_t one_integer(const NodeContext& c, size_t input, std::string_view what);
// The product of sizes of a table to be made; refuses large ones.
int64_t table_size(const NodeContext& c, const Shape& shape);

Value number(Builder& b, Kind kind, double value);  // of rank 0
Value integer_range(Builder& b, int64_t count);     // 0, 1, ..., count - 1
// A vector laid along one axis of a tensor of this rank: [1, ..., n, ..., 1].
Value along_axis(Builder& b, Value vector, int64_t axis, int64_t rank);
// One entry per channel: [C] -> [C, 1, ..., 1], to meet [N, C, spatial...].
Value per_channel(Builder& b, Value vector, int64_t rank);
Value unsqueeze(Builder& b, Value x, const std::vector<int64_t>& axes);  // axes of the result, ascending
Value squeeze(Builder& b, Value x, const std::vector<int64_t>& axes);    // ascending; must be of size 1

// The dimension fixed + per_row * N that f gives at every batch N; f may clamp and divide.
template <class F>
Dim fit_dimension(const NodeContext& c, std::string_view what, F f) {
  const int64_t one = f(1), two = f(2);
  const Dim fitted{one - (two - one), two - one};
  for (const int64_t batch : {3, 5, 8, 1009}) {
    if (fitted.at(batch) != f(batch)) c.unsupported("{} does not grow evenly with the batch", what);
  }
  return fitted;
}

}  // namespace ascribe::core
