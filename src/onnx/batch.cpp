#include "onnx/batch.h"

#include <algorithm>
#include <optional>

#include "base/checked.h"
#include "graph/op_support.h"

namespace ascribe::core {

namespace {

constexpr int kLongestSearch = 1000;

// The dimension that grows, if there is exactly one and it is a multiple of N.
std::optional<size_t> growing_axis(const Dims& dims) {
  std::optional<size_t> found;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis].is_fixed()) continue;
    if (found || dims[axis].fixed != 0) return std::nullopt;
    found = axis;
  }
  return found;
}

// 0 and -1 replaced; the -1 by what is left of `count` elements.
Dims resolve(const Dims& input, const Dims& target, bool allow_zero, Dim count, std::string_view where) {
  Dims result = target;
  std::optional<size_t> open;
  for (size_t axis = 0; axis < target.size(); ++axis) {
    if (target[axis] == Dim(0) && !allow_zero) {
      if (axis >= input.size()) {
        fail(ErrorKind::model, where, "the target copies dimension {}, which the input does not have; got shape {}",
             axis, to_string(input));
      }
      result[axis] = input[axis];
    } else if (target[axis] == Dim(-1)) {
      if (open) fail(ErrorKind::model, where, "the target leaves two dimensions open; got {}", to_string(target));
      open = axis;
      result[axis] = 1;
    } else if (target[axis].at(1) < 0) {
      fail(ErrorKind::model, where, "a target dimension is negative; got {}", to_string(target));
    }
  }
  if (!open) return result;
  const Dim rest = product(result);
  if (rest == Dim(0)) {
    fail(ErrorKind::model, where, "the open dimension cannot be inferred; got target {}", to_string(target));
  }
  result[*open] = divide(count, rest, where);
  return result;
}

Dims one_row(const Dims& dims) { return to_dims(at(dims, 1)); }

// How many elements lie between one row and the next, in row-major order.
int64_t row_stride(const RowLayout& input, size_t axis) {
  int64_t stride = input.rows_inner ? 1 : input.shape[axis].per_row;
  for (size_t i = axis + 1; i < input.shape.size(); ++i) {
    stride = checked_multiply(stride, input.shape[i].fixed, "reshape");
  }
  return stride;
}

// `single` is the output for one row; the axis whose block is one row of the input gets N times as long.
std::optional<RowLayout> grown(const RowLayout& input, Dims single) {
  const auto axis = growing_axis(input.shape);
  if (!axis) return std::nullopt;
  const int64_t stride = row_stride(input, *axis);
  int64_t block = element_count(at(single, 1), "reshape");
  for (size_t i = 0; i < single.size(); ++i) {
    if (block == stride) {
      // The last axis holds features, which a row does not lengthen, unless it did already.
      const bool inner = i > 0 && i + 1 == single.size() && *axis + 1 < input.shape.size();
      Dim& chosen = single[inner ? i - 1 : i];
      const bool alone = chosen == Dim(1);
      chosen = chosen * kBatch;
      return RowLayout{single, inner && !alone};
    }
    if (single[i].fixed == 0) return std::nullopt;
    block /= single[i].fixed;
  }
  return std::nullopt;
}

// [.., p, ..] -> [.., pN, ..], the whole repeated for every row.
Value repeat_rows(Builder& b, Value part, size_t axis) {
  Dims single = b.shape(part);
  Dims split = single;
  split.insert(split.begin() + static_cast<int64_t>(axis), 1);
  Dims rows = split;
  rows[axis] = kBatch;
  single[axis] = single[axis] * kBatch;
  if (b.shape(part)[axis] == Dim(1)) return b.expand(part, single);
  return b.reshape(b.expand(b.reshape(part, split), rows), single);
}

}  // namespace

RowLayout reshape_rows(const RowLayout& input, const Dims& target, bool allow_zero, bool batch_was_fixed,
                       std::string_view where) {
  const Dim count = product(input.shape);
  if (!batch_was_fixed || all_fixed(input.shape)) return {resolve(input.shape, target, allow_zero, count, where)};
  if (!all_fixed(target)) {  // a target computed from shapes knows the batch, at least in part
    try {
      const Dims symbolic = resolve(input.shape, target, allow_zero, count, where);
      if (product(symbolic) == count) return {symbolic};
    } catch (const Error&) {  // it mixes computed and hard-coded numbers: judge by one row
    }
  }
  const Dims one = one_row(input.shape);
  const Dims single = resolve(one, one_row(target), allow_zero, product(one), where);
  if (product(single) != product(one)) {
    fail(ErrorKind::model, where, "the number of elements changes; got {} to {}", to_string(one), to_string(single));
  }
  if (auto result = grown(input, single)) return *result;
  fail(ErrorKind::unsupported, where, "the reshape mixes rows of a batch; got {} to {}", to_string(input.shape),
       to_string(target));
}

bool rows_inner(const Graph& graph, Value value) {
  // Back through the operations that keep the merged dimension, to the reshapes that made it.
  std::vector<Value> reshapes;
  for (int step = 0; step < kLongestSearch; ++step) {
    const Node& node = graph[value];
    const auto axis = growing_axis(node.type.shape);
    if (!axis || node.type.shape[*axis].per_row == 1) break;
    if (node.op->name == "reshape") reshapes.push_back(value);
    const auto keeps = [&](Value input) {
      const Dims& shape = graph[input].type.shape;
      return std::find(shape.begin(), shape.end(), node.type.shape[*axis]) != shape.end();
    };
    const auto from =
        node.op->name == "reshape" ? node.inputs.begin() : std::find_if(node.inputs.begin(), node.inputs.end(), keeps);
    if (from == node.inputs.end()) break;
    value = *from;
  }
  bool inner = false;
  for (size_t i = reshapes.size(); i-- > 0;) {
    const Node& node = graph[reshapes[i]];
    const auto result = grown({graph[node.inputs[0]].type.shape, inner}, one_row(node.type.shape));
    inner = result && result->shape == node.type.shape && result->rows_inner;
  }
  return inner;
}

Dims reshape_target(const Dims& input, const Dims& target, bool allow_zero, bool batch_was_fixed,
                    std::string_view where) {
  return reshape_rows({input}, target, allow_zero, batch_was_fixed, where).shape;
}

std::vector<Value> align_batch(Builder& b, std::vector<Value> parts, int64_t axis, bool batch_was_fixed) {
  if (!batch_was_fixed) return parts;
  for (const Value grower : parts) {
    const Dims shape = b.shape(grower);
    for (size_t k = 0; k < shape.size(); ++k) {
      if (static_cast<int64_t>(k) == axis || shape[k].is_fixed() || shape[k].fixed != 0) continue;
      for (Value& part : parts) {
        const Dims& own = b.shape(part);
        if (own.size() == shape.size() && own[k] == Dim(shape[k].per_row)) part = repeat_rows(b, part, k);
      }
    }
  }
  return parts;
}

Dims expand_target(const Dims& input, const Dims& target, bool batch_was_fixed, std::string_view where) {
  Dims adjusted = target;
  for (size_t i = 1; batch_was_fixed && i <= std::min(input.size(), target.size()); ++i) {
    const Dim own = input[input.size() - i];
    Dim& wanted = adjusted[target.size() - i];
    if (!own.is_fixed() && wanted.is_fixed() && wanted.fixed == own.at(1)) wanted = own;
  }
  return broadcast_shape(input, adjusted, where);
}

}  // namespace ascribe::core
