#include "passes/moved_constants.h"

#include <algorithm>

namespace ascribe::core {

namespace {

std::vector<size_t> longer_axes(const Dims& shape) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != Dim(1)) axes.push_back(axis);
  }
  return axes;
}

// y = transpose(u): y's axis i is u's axis perm[i].
Value before_transpose(Builder& b, const std::vector<int64_t>& perm, Value constant) {
  std::vector<int64_t> back(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  return b.transpose(constant, back);
}

// Axes that are neither split nor joined are found from both ends, over axes of length 1; along all others the constant
// must not vary.
std::optional<Value> before_reshape(Builder& b, const Dims& from, const Dims& to, Value constant) {
  const Dims given = b.shape(constant);
  const std::vector<size_t> old_axes = longer_axes(from), new_axes = longer_axes(to);
  Dims shape(from.size(), 1);
  std::vector<bool> kept(to.size(), false);
  const auto keep = [&](size_t old_axis, size_t new_axis) {
    if (from[old_axis] != to[new_axis]) return false;
    shape[old_axis] = given[new_axis];
    kept[new_axis] = true;
    return true;
  };
  const size_t most = std::min(old_axes.size(), new_axes.size());
  size_t front = 0, behind = 0;
  while (front < most && keep(old_axes[front], new_axes[front])) ++front;
  while (front + behind < most &&
         keep(old_axes[old_axes.size() - 1 - behind], new_axes[new_axes.size() - 1 - behind])) {
    ++behind;
  }
  for (size_t axis = 0; axis < to.size(); ++axis) {
    if (given[axis] != Dim(1) && !kept[axis]) return std::nullopt;
  }
  return b.reshape(constant, shape);
}

}  // namespace

std::optional<Value> moved_back(Builder& b, const Node& move, Value constant) {
  if (move.inputs.size() != 1 || b.rank(constant) > std::ssize(move.type.shape)) return std::nullopt;
  Dims aligned = b.shape(constant);
  aligned.insert(aligned.begin(), move.type.shape.size() - aligned.size(), 1);
  const auto wide = [&] { return b.reshape(constant, aligned); };
  if (move.op->name == "transpose") return before_transpose(b, move.attributes.integers("perm"), wide());
  if (move.op->name == "reshape") {
    const Dims from = b.shape(move.inputs[0]);
    return before_reshape(b, from, move.type.shape, wide());
  }
  return std::nullopt;
}

}  // namespace ascribe::core
