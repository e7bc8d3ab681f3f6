#include "graph/reduction.h"

namespace ascribe::core {

namespace {

struct Group {  // adjacent axes that are all kept or all reduced, merged
  int64_t size;
  int64_t stride;
  bool reduced;
};

std::vector<Group> merge_axes(std::span<const int64_t> shape, const std::vector<bool>& reduced) {
  const auto strides = strides_of(shape);
  std::vector<Group> groups;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    if (!groups.empty() && groups.back().reduced == reduced[axis]) {
      groups.back().size *= shape[axis];
      groups.back().stride = strides[axis];
    } else {
      groups.push_back({shape[axis], strides[axis], reduced[axis]});
    }
  }
  return groups;
}

std::vector<int64_t> offsets_of(std::span<const Group> groups) {
  std::vector<int64_t> offsets = {0};
  for (const Group& group : groups) {
    std::vector<int64_t> finer;
    finer.reserve(offsets.size() * group.size);
    for (const int64_t offset : offsets) {
      for (int64_t k = 0; k < group.size; ++k) finer.push_back(offset + k * group.stride);
    }
    offsets = std::move(finer);
  }
  return offsets;
}

std::vector<bool> marked(size_t rank, std::span<const int64_t> axes) {
  std::vector<bool> marks(rank, false);
  for (const int64_t axis : axes) marks[axis] = true;
  return marks;
}

}  // namespace

Reduction plan_reduction(std::span<const int64_t> shape, std::span<const int64_t> axes) {
  Reduction plan;
  for (const int64_t axis : axes) plan.count *= shape[axis];
  std::vector<Group> inner;
  for (const Group& group : merge_axes(shape, marked(shape.size(), axes))) {
    if (group.reduced) {
      inner.push_back(group);
    } else {
      plan.kept.push_back(group.size);
      plan.kept_strides[0].push_back(group.stride);
    }
  }
  // Also keeps an empty tensor with huge other extents from costing anything.
  if (element_count(shape) == 0) return plan;
  if (!inner.empty()) {
    plan.run = inner.back().size;
    plan.stride = inner.back().stride;
    inner.pop_back();
  }
  plan.starts = offsets_of(inner);
  return plan;
}

Dims reduced_shape(const Signature& s) {
  const auto axes = s.attributes.integers("axes");
  std::vector<bool> reduced(s.rank(0), false);
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= s.rank(0)) {
      s.refuse("an axis is out of range; got {} for shape {}", axis, to_string(s.shape(0)));
    }
    if (reduced[axis]) s.refuse("axis {} is named twice", axis);
    reduced[axis] = true;
  }
  if (!s.attributes.flag("keepdims")) return without_axes(s.shape(0), axes);
  Dims shape = s.shape(0);
  for (const int64_t axis : axes) shape[axis] = 1;
  return shape;
}

Type infer_reduction(const Signature& s) {
  expect_number(s, 0);
  return {s.inputs[0].kind, reduced_shape(s)};
}

Type infer_reduction_filled(const Signature& s) {
  Type type = infer_reduction(s);
  const bool no_output = std::find(type.shape.begin(), type.shape.end(), Dim(0)) != type.shape.end();
  if (reduces_nothing(s.shape(0), s.attributes.integers("axes")) && !no_output) {
    s.refuse("the reduction has no elements; got shape {}", to_string(s.shape(0)));
  }
  return type;
}

Dims without_axes(const Dims& shape, std::span<const int64_t> axes) {
  const auto dropped = marked(shape.size(), axes);
  Dims rest;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!dropped[axis]) rest.push_back(shape[axis]);
  }
  return rest;
}

bool reduces_nothing(const Dims& shape, std::span<const int64_t> axes) {
  return std::any_of(axes.begin(), axes.end(), [&](int64_t axis) { return shape[axis] == Dim(0); });
}

void expect_filled(const Evaluation& e, std::string_view op) {
  if (e.inputs[0].size() > 0 || e.output.size() == 0) return;
  fail(ErrorKind::shape, op, "the reduction has no elements; got shape {}", to_string(e.inputs[0].shape));
}

}  // namespace ascribe::core
