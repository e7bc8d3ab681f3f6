#include "graph/op_support.h"

namespace ascribe {

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
  if (signature.inputs[0].kind != Kind::real) {
    signature.refuse("expected a real operand; got {}", to_string(signature.inputs[0]));
  }
  return signature.inputs[0];
}

Type infer_same_number(const Signature& signature) {
  if (signature.inputs[0].kind == Kind::boolean) {
    signature.refuse("expected a number; got {}", to_string(signature.inputs[0]));
  }
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

}  // namespace ascribe
