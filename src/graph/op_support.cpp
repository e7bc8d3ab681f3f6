#include "graph/op_support.h"

namespace ascribe::core {

int64_t normal_axis(int64_t axis, int64_t rank, std::string_view where) {
  if (axis < -rank || axis >= rank) {
    fail(ErrorKind::model, where, "an axis is out of range; got {}; expected -{} to {}", axis, rank, rank - 1);
  }
  return axis < 0 ? axis + rank : axis;
}

Dims broadcast_shape(const Dims& a, const Dims& b, std::string_view where) {
  Dims result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    const Dim da = i < a.size() ? a[a.size() - 1 - i] : Dim(1);
    const Dim db = i < b.size() ? b[b.size() - 1 - i] : Dim(1);
    if (da != db && da != Dim(1) && db != Dim(1)) {
      fail(ErrorKind::model, where, "the operands do not broadcast; got {} and {}", to_string(a), to_string(b));
    }
    result[result.size() - 1 - i] = da == Dim(1) ? db : da;
  }
  return result;
}

Dims broadcast_shape(const Signature& signature) {
  Dims result;
  for (const Type& input : signature.inputs) result = broadcast_shape(result, input.shape, signature.where);
  return result;
}

std::vector<int64_t> broadcast_strides(std::span<const int64_t> shape, std::span<const int64_t> output) {
  const auto own = strides_of(shape);
  std::vector<int64_t> strides(output.size(), 0);
  const size_t missing = output.size() - shape.size();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1) strides[missing + axis] = own[axis];
  }
  return strides;
}

Type infer_same(const Signature& signature) { return signature.inputs[0]; }

Type infer_same_real(const Signature& signature) {
  expect_kind(signature, 0, Kind::real);
  return signature.inputs[0];
}

Type infer_same_number(const Signature& signature) {
  expect_number(signature, 0);
  return signature.inputs[0];
}

Type infer_broadcast(const Signature& signature) {
  const Kind kind = signature.inputs[0].kind;
  for (const Type& input : signature.inputs) {
    if (input.kind != kind) {
      signature.refuse("the operands are of different kinds; got {} and {}", to_string(signature.inputs[0]),
                       to_string(input));
    }
  }
  return {kind, broadcast_shape(signature)};
}

Type infer_broadcast_real(const Signature& signature) {
  infer_same_real(signature);
  return infer_broadcast(signature);
}

Type infer_broadcast_number(const Signature& signature) {
  infer_same_number(signature);
  return infer_broadcast(signature);
}

Type infer_comparison(const Signature& signature) { return {Kind::boolean, infer_broadcast(signature).shape}; }

void expect_kind(const Signature& signature, size_t input, Kind kind) {
  if (signature.inputs[input].kind == kind) return;
  signature.refuse("operand {} is of the wrong kind; got {}; expected {}", input, to_string(signature.inputs[input]),
                   to_string(kind));
}

void expect_number(const Signature& signature, size_t input) {
  if (signature.inputs[input].kind != Kind::boolean) return;
  signature.refuse("operand {} is of the wrong kind; got {}; expected a real or integer one", input,
                   to_string(signature.inputs[input]));
}

int64_t axis_of(const Signature& signature, size_t input) {
  const int64_t axis = signature.attributes.integer("axis");
  if (axis < 0 || axis >= signature.rank(input)) {
    signature.refuse("the axis is out of range; got {} for shape {}", axis, to_string(signature.shape(input)));
  }
  return axis;
}

AxisView along(std::span<const int64_t> shape, int64_t axis) {
  return {element_count(shape.first(axis)), shape[axis], element_count(shape.subspan(axis + 1))};
}

int64_t checked_index(int64_t index, int64_t size, std::string_view op) {
  if (index < -size || index >= size) {
    fail(ErrorKind::model, op, "an index is out of range; got {}; expected {} to {}", index, -size, size - 1);
  }
  return index < 0 ? index + size : index;
}

int64_t tuple_offset(std::span<const int64_t> indices, std::span<const int64_t> shape, std::string_view op) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    offset = offset * shape[axis] + checked_index(indices[axis], shape[axis], op);
  }
  return offset;
}

void expect_elements_fit(const Signature& signature, int64_t axis) {
  bool fits = signature.rank(1) == signature.rank(0);
  for (int64_t i = 0; fits && i < signature.rank(0); ++i) {
    fits = i == axis || at_least(signature.shape(0)[i], signature.shape(1)[i]);
  }
  if (!fits) {
    signature.refuse("the indices do not fit the operand; got {} for {} and axis {}", to_string(signature.shape(1)),
                     to_string(signature.shape(0)), axis);
  }
}

int64_t expect_tuple(const Signature& signature, int64_t first_axis) {
  const Dim tuple = signature.rank(1) > 0 ? signature.shape(1).back() : Dim(0);
  if (!tuple.is_fixed() || tuple.fixed < 1 || tuple.fixed > signature.rank(0) - first_axis) {
    signature.refuse("the last axis of the indices must hold 1 to {} coordinates; got {} for {}",
                     signature.rank(0) - first_axis, to_string(signature.shape(1)), to_string(signature.shape(0)));
  }
  return tuple.fixed;
}

}  // namespace ascribe::core
