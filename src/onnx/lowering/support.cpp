#include "onnx/lowering/support.h"

#include <numeric>

#include "base/checked.h"

namespace ascribe::core {

int64_t axis_attribute(const NodeContext& c, int64_t otherwise, int64_t rank) {
  return normal_axis(c.integer("axis", otherwise), rank, c.where());
}

std::vector<int64_t> normal_axes(const NodeContext& c, std::vector<int64_t> axes, int64_t rank) {
  for (int64_t& axis : axes) axis = normal_axis(axis, rank, c.where());
  std::sort(axes.begin(), axes.end());
  const auto repeated = std::adjacent_find(axes.begin(), axes.end());
  if (repeated != axes.end()) c.refuse("an axis is given twice; got {}", *repeated);
  return axes;
}

std::optional<std::vector<int64_t>> integers_of(const NodeContext& c, std::string_view name, size_t input) {
  if (c.has_attribute(name)) return c.integers(name, {});
  if (c.has(input)) return c.fixed_integers(input, name);
  return std::nullopt;
}

std::vector<int64_t> axes_from(int64_t first, int64_t rank) {
  std::vector<int64_t> axes(std::max<int64_t>(rank - first, 0));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

Value second_operand(const NodeContext& c) {
  const Value value = c.in(1);
  if (c.opset() >= 7 || c.integer("broadcast", 0) == 0 || !c.has_attribute("axis")) return value;
  const int64_t rank = c.b().rank(c.in(0));
  const int64_t missing = rank - axis_attribute(c, 0, rank) - c.b().rank(value);
  if (missing < 0) c.refuse("the second operand does not fit behind axis {}", c.integer("axis"));
  Dims shape = c.b().shape(value);
  shape.resize(shape.size() + missing, 1);
  return c.b().reshape(value, shape);
}

int64_t fixed_size(const NodeContext& c, Dim dim, std::string_view what) {
  if (!dim.is_fixed()) c.unsupported("{} depends on the batch; got {}; expected a fixed size", what, to_string(dim));
  return dim.fixed;
}

double one_real(const NodeContext& c, size_t input, std::string_view what) {
  const Tensor value = c.constant(input, what);
  if (value.size() != 1) c.refuse("{} has {} elements; expected 1", what, value.size());
  return value.at(0);
}

int64_t one_integer(const NodeContext& c, size_t input, std::string_view what) {
  const auto values = c.fixed_integers(input, what);
  if (values.size() != 1) c.refuse("{} has {} elements; expected 1", what, values.size());
  return values[0];
}

int64_t table_size(const NodeContext& c, const Shape& shape) {
  const int64_t size = element_count(shape, c.where());
  if (size > kLargestTable) {
    c.unsupported("a table of shape {} would be too large; expected at most 2^24 elements", to_string(shape));
  }
  return size;
}

Value number(Builder& b, Kind kind, double value) {
  if (kind == Kind::real) return b.scalar(value);
  const Value integer = b.integer(static_cast<int64_t>(value));
  return b.cast(integer, kind);
}

Value integer_range(Builder& b, int64_t count) {
  // Long ones are left to the builder, which knows how much has been made of nothing already.
  constexpr int64_t kShort = 1 << 16;
  if (count > kShort) {
    const Value ones = b.expand(b.integer(1), {count});
    return b.op("cumsum", {ones}, {{"axis", ints({0})}, {"exclusive", ints({1})}, {"reverse", ints({0})}});
  }
  Tensor values(DType::i64, {count});
  const auto data = values.mutable_data<int64_t>();
  std::iota(data.begin(), data.end(), int64_t{0});
  return b.constant(std::move(values));
}

Value along_axis(Builder& b, Value vector, int64_t axis, int64_t rank) {
  Dims shape(rank, 1);
  shape[axis] = product(b.shape(vector));
  return b.reshape(vector, shape);
}

Value per_channel(Builder& b, Value vector, int64_t rank) { return along_axis(b, vector, 0, rank - 1); }

Value unsqueeze(Builder& b, Value x, const std::vector<int64_t>& axes) {
  Dims shape = b.shape(x);
  for (const int64_t axis : axes) {
    if (axis > static_cast<int64_t>(shape.size())) {
      fail(ErrorKind::model, b.where(), "an operand has too few axes; got shape {}", to_string(b.shape(x)));
    }
    shape.insert(shape.begin() + axis, 1);
  }
  return b.reshape(x, shape);
}

Value squeeze(Builder& b, Value x, const std::vector<int64_t>& axes) {
  Dims shape = b.shape(x);
  for (size_t i = axes.size(); i-- > 0;) {
    if (axes[i] >= static_cast<int64_t>(shape.size()) || shape[axes[i]] != Dim(1)) {
      fail(ErrorKind::model, b.where(), "axis {} must have size 1; got shape {}", axes[i], to_string(b.shape(x)));
    }
    shape.erase(shape.begin() + axes[i]);
  }
  return b.reshape(x, shape);
}

}  // namespace ascribe::core
