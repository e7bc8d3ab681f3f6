// Operators that only rearrange axes: Reshape, Flatten, Squeeze, Unsqueeze, Transpose.
#include <numeric>

#include "onnx/batch.h"
#include "onnx/lowering/support.h"

namespace ascribe::core::lowering_reshape {
namespace {

void lower_reshape(NodeContext& c) {
  Builder& b = c.b();
  const Dims& input = b.shape(c.in(0));
  Dims target;
  if (c.has_attribute("shape")) target = to_dims(c.integers("shape", {}));  // before opset 5
  else target = c.known_integers(1, "the target shape");
  const bool allow_zero = c.integer("allowzero", 0) != 0;
  // Rows stay rows, whose number the file writes out.
  if (c.file_rows() > 1 && !target.empty() && target[0] == Dim(c.file_rows()) && !input.empty() && input[0] == kBatch) {
    target[0] = kBatch;
  }
  const RowLayout layout = {input, c.batch_was_fixed() && rows_inner(b.graph(), c.in(0))};
  c.out(0, b.reshape(c.in(0), reshape_rows(layout, target, allow_zero, c.batch_was_fixed(), c.where()).shape));
}

void lower_flatten(NodeContext& c) {
  const Dims shape = c.b().shape(c.in(0));
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t axis = c.integer("axis", 1);
  if (axis != rank) axis = normal_axis(axis, rank, c.where());
  const Dims outer(shape.begin(), shape.begin() + axis), inner(shape.begin() + axis, shape.end());
  c.out(0, c.b().reshape(c.in(0), {product(outer), product(inner)}));
}

void lower_squeeze(NodeContext& c) {
  Builder& b = c.b();
  const Dims& shape = b.shape(c.in(0));
  std::vector<int64_t> axes;
  if (const auto given = integers_of(c, "axes", 1)) {
    axes = normal_axes(c, *given, b.rank(c.in(0)));
  } else {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == Dim(1)) axes.push_back(static_cast<int64_t>(axis));
    }
  }
  c.out(0, squeeze(b, c.in(0), axes));
}

void lower_unsqueeze(NodeContext& c) {
  const auto axes = integers_of(c, "axes", 1);
  if (!axes) c.refuse("axes is missing");
  const int64_t rank = c.b().rank(c.in(0)) + static_cast<int64_t>(axes->size());
  c.out(0, unsqueeze(c.b(), c.in(0), normal_axes(c, *axes, rank)));
}

void lower_transpose(NodeContext& c) {
  auto reversed = axes_from(0, c.b().rank(c.in(0)));
  std::reverse(reversed.begin(), reversed.end());
  c.out(0, c.b().transpose(c.in(0), c.integers("perm", reversed)));
}

const RegisterLowering reshape({"Reshape", 25, "allowzero:14 consumed_inputs shape"}, lower_reshape,
                               "the target must be known when the model is loaded");
const RegisterLowering flatten({"Flatten", 25, "axis"}, lower_flatten);
const RegisterLowering squeeze_lowering({"Squeeze", 25, "axes"}, lower_squeeze);
const RegisterLowering unsqueeze_lowering({"Unsqueeze", 25, "axes"}, lower_unsqueeze);
const RegisterLowering transpose({"Transpose", 25, "perm"}, lower_transpose);

}  // namespace
}  // namespace ascribe::core::lowering_reshape
