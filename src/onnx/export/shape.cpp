// Operations that move elements: reshape, transpose, concat, slice, pad, expand.
#include <limits>
#include <numeric>

#include "onnx/export/writer.h"

namespace ascribe::core::export_shape {
namespace {

const RegisterExport reshape("reshape", [](OnnxWriter& w, const ExportNode& n) {
  return w.reshape(n.inputs[0], n.attributes().dims("shape"));
});

const RegisterExport transpose("transpose", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("Transpose", n.inputs, {{"perm", n.attributes().integers("perm")}});
});

const RegisterExport concat("concat", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("Concat", n.inputs, {{"axis", n.attributes().integer("axis")}});
});

const RegisterExport expand("expand", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("Expand", {n.inputs[0], w.integers(n.attributes().dims("shape"))});
});

const RegisterExport slice("slice", [](OnnxWriter& w, const ExportNode& n) {
  const Dims &starts = n.attributes().dims("starts"), &sizes = n.attributes().dims("sizes");
  const auto steps = n.attributes().integers("steps");
  Dims begins, ends;
  std::vector<int64_t> axes, strides;
  for (size_t axis = 0; axis < steps.size(); ++axis) {
    if (starts[axis] == Dim(0) && sizes[axis] == n.shape(0)[axis] && steps[axis] == 1) continue;
    Dim end = starts[axis] + sizes[axis] * Dim(steps[axis]);
    // A negative end would count from the back; this one means "past the first element".
    if (steps[axis] < 0 && end.at(1) < 0) end = -std::numeric_limits<int64_t>::max();
    begins.push_back(starts[axis]);
    ends.push_back(end);
    axes.push_back(static_cast<int64_t>(axis));
    strides.push_back(steps[axis]);
  }
  if (axes.empty()) return w.emit("Identity", n.inputs);
  return w.emit("Slice", {n.inputs[0], w.integers(begins), w.integers(ends), w.integers(axes), w.integers(strides)});
});

// The list of indices is written out; an axis longer than this is no longer a model.
constexpr int64_t kLongestPadded = int64_t{1} << 24;

// Which element each position of a padded axis shows, for the modes in which every one shows some element.
std::vector<int64_t> padded_indices(const std::string& mode, int64_t size, int64_t before, int64_t after) {
  std::vector<int64_t> indices;
  const int64_t period = mode == "wrap" ? size : std::max<int64_t>(1, 2 * size - 2);
  for (int64_t i = -before; i < size + after; ++i) {
    if (mode == "edge") {
      indices.push_back(std::clamp<int64_t>(i, 0, size - 1));
      continue;
    }
    const int64_t phase = ((i % period) + period) % period;
    indices.push_back(phase < size ? phase : period - phase);
  }
  return indices;
}

const RegisterExport pad("pad", [](OnnxWriter& w, const ExportNode& n) {
  const Dims &before = n.attributes().dims("before"), &after = n.attributes().dims("after");
  const std::string& mode = n.attributes().text("mode");
  if (mode == "constant") {
    Dims pads = before;
    pads.insert(pads.end(), after.begin(), after.end());
    const Tensor value = Tensor::scalar(n.attributes().real("value")).cast(storage(n.kind(0), DType::f64));
    return w.emit("Pad", {n.inputs[0], w.integers(pads), w.constant(value)}, {{"mode", mode}});
  }
  // By indices: ONNX learnt wrap late, and reflects only once.
  std::string x = n.inputs[0];
  for (size_t axis = 0; axis < before.size(); ++axis) {
    if (before[axis] == Dim(0) && after[axis] == Dim(0)) continue;
    const Dim size = n.shape(0)[axis];
    if (!size.is_fixed() || !before[axis].is_fixed() || !after[axis].is_fixed()) {
      fail(ErrorKind::unsupported, "export", "the batch axis is padded with mode {}", mode);
    }
    if (size.fixed > kLongestPadded || before[axis].fixed > kLongestPadded || after[axis].fixed > kLongestPadded) {
      fail(ErrorKind::unsupported, "export", "an axis is padded to more than {} elements with mode {}", kLongestPadded,
           mode);
    }
    const auto indices = padded_indices(mode, size.fixed, before[axis].fixed, after[axis].fixed);
    x = w.emit("Gather", {x, w.integers(indices)}, {{"axis", static_cast<int64_t>(axis)}});
  }
  return x == n.inputs[0] ? w.emit("Identity", {x}) : x;
});

}  // namespace
}  // namespace ascribe::core::export_shape
