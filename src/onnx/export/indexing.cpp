// Operations with computed indices: gather, scatter, and those that compute indices.
#include "onnx/export/writer.h"

namespace ascribe::core::export_indexing {
namespace {

OnnxAttributes axis_of(const ExportNode& n) { return {{"axis", n.attributes().integer("axis")}}; }

const RegisterExport gather("gather",
                            [](OnnxWriter& w, const ExportNode& n) { return w.emit("Gather", n.inputs, axis_of(n)); });

const RegisterExport gather_elements("gather_elements", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("GatherElements", n.inputs, axis_of(n));
});

const RegisterExport gather_nd("gather_nd", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("GatherND", n.inputs, {{"batch_dims", n.attributes().integer("batch_dims")}});
});

const RegisterExport scatter_elements("scatter_elements", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("ScatterElements", n.inputs,
                {{"axis", n.attributes().integer("axis")}, {"reduction", n.attributes().text("reduction")}});
});

const RegisterExport scatter_nd("scatter_nd", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("ScatterND", n.inputs, {{"reduction", n.attributes().text("reduction")}});
});

std::string extremum(OnnxWriter& w, const ExportNode& n, std::string_view op_type) {
  return w.emit(op_type, n.inputs,
                {{"axis", n.attributes().integer("axis")},
                 {"keepdims", n.attributes().integer("keepdims")},
                 {"select_last_index", n.attributes().integer("select_last")}});
}

const RegisterExport arg_max("arg_max", [](OnnxWriter& w, const ExportNode& n) { return extremum(w, n, "ArgMax"); });
const RegisterExport arg_min("arg_min", [](OnnxWriter& w, const ExportNode& n) { return extremum(w, n, "ArgMin"); });

const RegisterExport top_k_indices("top_k_indices", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("TopK", {n.inputs[0], w.integers(n.attributes().dims("k"))},
                {{"axis", n.attributes().integer("axis")},
                 {"largest", n.attributes().integer("largest")},
                 {"sorted", n.attributes().integer("sorted")}},
                1);
});

}  // namespace
}  // namespace ascribe::core::export_indexing
