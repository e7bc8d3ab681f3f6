#include "onnx/batch.h"

#include <optional>

#include "base/checked.h"
#include "graph/op_support.h"

namespace ascribe {

namespace {

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
int64_t row_stride(const Dims& dims, size_t axis) {
  int64_t stride = dims[axis].per_row;
  for (size_t i = axis + 1; i < dims.size(); ++i) stride = checked_multiply(stride, dims[i].fixed, "reshape");
  return stride;
}

// `single` is the output for one row; the axis whose block is one row of the input gets N times as long.
std::optional<Dims> grown(const Dims& input, Dims single) {
  const auto axis = growing_axis(input);
  if (!axis) return std::nullopt;
  const int64_t stride = row_stride(input, *axis);
  int64_t block = element_count(at(single, 1), "reshape");
  for (Dim& dim : single) {
    if (block == stride) {
      dim = dim * kBatch;
      return single;
    }
    if (dim.fixed == 0) return std::nullopt;
    block /= dim.fixed;
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

Dims reshape_target(const Dims& input, const Dims& target, bool allow_zero, bool batch_was_fixed,
                    std::string_view where) {
  const Dim count = product(input);
  if (!batch_was_fixed || all_fixed(input)) return resolve(input, target, allow_zero, count, where);
  if (!all_fixed(target)) {  // a target computed from shapes knows the batch, at least in part
    try {
      const Dims symbolic = resolve(input, target, allow_zero, count, where);
      if (product(symbolic) == count) return symbolic;
    } catch (const Error&) {  // it mixes computed and hard-coded numbers: judge by one row
    }
  }
  const Dims single = resolve(one_row(input), one_row(target), allow_zero, product(one_row(input)), where);
  if (product(single) != product(one_row(input))) {
    fail(ErrorKind::model, where, "the number of elements changes; got {} to {}", to_string(one_row(input)),
         to_string(single));
  }
  if (auto result = grown(input, single)) return *result;
  fail(ErrorKind::unsupported, where, "the reshape mixes rows of a batch; got {} to {}", to_string(input),
       to_string(target));
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

}  // namespace ascribe
