// matmul, conv, conv_transpose and resample.
#include <numeric>

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

const RegisterExport conv_transpose("conv_transpose", [](OnnxWriter& w, const ExportNode& n) {
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
