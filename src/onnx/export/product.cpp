// matmul, conv, conv_transpose and resample.
#include <algorithm>
#include <numeric>
#include <optional>

#include "onnx/export/writer.h"

namespace ascribe::core::export_product {
namespace {

// The last two axes swapped, where there are two.
std::string swapped(OnnxWriter& w, const std::string& x, int64_t rank) {
  if (rank < 2) return x;
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return w.emit("Transpose", {x}, {{"perm", perm}});
}

const RegisterExport matmul("matmul", [](OnnxWriter& w, const ExportNode& n) {
  const bool a = n.attributes().flag("transpose_a"), b = n.attributes().flag("transpose_b");
  if ((a || b) && n.rank(0) == 2 && n.rank(1) == 2 && n.kind(0) == Kind::real) {
    return w.emit("Gemm", n.inputs, {{"transA", int64_t{a}}, {"transB", int64_t{b}}});
  }
  return w.emit("MatMul", {a ? swapped(w, n.inputs[0], n.rank(0)) : n.inputs[0],
                           b ? swapped(w, n.inputs[1], n.rank(1)) : n.inputs[1]});
});

OnnxAttributes window_of(const ExportNode& n) {
  std::vector<int64_t> kernel;
  for (int64_t axis = 2; axis < n.rank(1); ++axis) kernel.push_back(n.shape(1)[axis].at(1));
  return {{"kernel_shape", kernel},
          {"strides", n.attributes().integers("strides")},
          {"pads", n.attributes().integers("pads")},
          {"dilations", n.attributes().integers("dilations")},
          {"group", n.attributes().integer("group")}};
}

const RegisterExport conv("conv",
                          [](OnnxWriter& w, const ExportNode& n) { return w.emit("Conv", n.inputs, window_of(n)); });

// A transposed convolution without strides is a convolution with the kernel turned round and its channels swapped, for
// which runtimes have much faster kernels. The kernel is folded when the file is loaded.
struct TurnedConvolution {
  std::vector<int64_t> kernel, pads;
  int64_t group = 1, inputs = 0, outputs = 0;  // channels of a group
};

std::optional<TurnedConvolution> turned_round(const ExportNode& n) {
  if (!all_fixed(n.shape(1)) || element_count(at(n.shape(1), 1)) == 0) return {};
  TurnedConvolution turned;
  turned.group = n.attributes().integer("group");
  const Shape weight = at(n.shape(1), 1);
  turned.inputs = weight[0] / turned.group;
  turned.outputs = weight[1];
  turned.kernel.assign(weight.begin() + 2, weight.end());
  const size_t axes = turned.kernel.size();
  const auto strides = n.attributes().integers("strides"), pads = n.attributes().integers("pads"),
             more = n.attributes().integers("output_padding"), dilations = n.attributes().integers("dilations");
  turned.pads.resize(2 * axes);
  for (size_t i = 0; i < axes; ++i) {
    if (strides[i] != 1) return {};
    const int64_t reach = dilations[i] * (turned.kernel[i] - 1);
    turned.pads[i] = reach - pads[i];
    turned.pads[axes + i] = reach - pads[axes + i] + more[i];
  }
  if (std::any_of(turned.pads.begin(), turned.pads.end(), [](int64_t pad) { return pad < 0; })) return {};
  return turned;
}

// [group inputs, outputs, kernel...] -> [group outputs, inputs, kernel...], the last axes backwards.
std::string turned_kernel(OnnxWriter& w, const std::string& weight, const TurnedConvolution& turned) {
  std::string name = weight;
  std::vector<int64_t> apart = {turned.group, turned.inputs, turned.outputs};
  std::vector<int64_t> joined = {turned.group * turned.outputs, turned.inputs};
  std::vector<int64_t> perm = {0, 2, 1}, starts, ends, axes, steps;
  for (size_t i = 0; i < turned.kernel.size(); ++i) {
    apart.push_back(turned.kernel[i]);
    joined.push_back(turned.kernel[i]);
    perm.push_back(std::ssize(perm));
    if (turned.kernel[i] == 1) continue;
    starts.push_back(-1);
    ends.push_back(-turned.kernel[i] - 1);
    axes.push_back(static_cast<int64_t>(i) + 2);
    steps.push_back(-1);
  }
  if (turned.inputs != 1 || turned.outputs != 1) {
    name = w.emit("Transpose", {w.emit("Reshape", {name, w.integers(apart)})}, {{"perm", perm}});
    name = w.emit("Reshape", {name, w.integers(joined)});
  }
  if (axes.empty()) return name;
  return w.emit("Slice", {name, w.integers(starts), w.integers(ends), w.integers(axes), w.integers(steps)});
}

std::string as_convolution(OnnxWriter& w, const ExportNode& n, const TurnedConvolution& turned) {
  std::vector<std::string> inputs = n.inputs;
  inputs[1] = turned_kernel(w, n.inputs[1], turned);
  return w.emit("Conv", inputs,
                {{"kernel_shape", turned.kernel},
                 {"strides", n.attributes().integers("strides")},
                 {"pads", turned.pads},
                 {"dilations", n.attributes().integers("dilations")},
                 {"group", turned.group}});
}

const RegisterExport conv_transpose("conv_transpose", [](OnnxWriter& w, const ExportNode& n) {
  if (const auto turned = turned_round(n)) return as_convolution(w, n, *turned);
  OnnxAttributes attributes = window_of(n);
  attributes.emplace_back("output_padding", n.attributes().integers("output_padding"));
  return w.emit("ConvTranspose", n.inputs, attributes);
});

// Gathers [.., out, taps, ..], weighs, and sums over the taps.
const RegisterExport resample("resample", [](OnnxWriter& w, const ExportNode& n) {
  const int64_t axis = n.attributes().integer("axis");
  Dims weights = n.shape(2);
  weights.resize(weights.size() + n.rank(0) - axis - 1, 1);
  const std::string taps = w.emit("Gather", {n.inputs[0], n.inputs[1]}, {{"axis", axis}});
  return w.reduce("ReduceSum", w.emit("Mul", {taps, w.reshape(n.inputs[2], weights)}), {axis + 1}, false);
});

}  // namespace
}  // namespace ascribe::core::export_product
