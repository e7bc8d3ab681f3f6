// Sums, means and other reductions along axes; softmax.
#include "onnx/export/writer.h"

namespace ascribe::core::export_reduction {
namespace {

std::string reduced(OnnxWriter& w, const ExportNode& n, const std::string& op_type) {
  return w.reduce(op_type, n.inputs[0], n.attributes().integers("axes"), n.attributes().flag("keepdims"));
}

// The mean of every channel of a picture has an operator of its own, which runtimes compute best.
std::string mean(OnnxWriter& w, const ExportNode& n) {
  const auto axes = n.attributes().integers("axes");
  bool global = n.rank(0) >= 3 && n.attributes().flag("keepdims") && static_cast<int64_t>(axes.size()) == n.rank(0) - 2;
  for (size_t i = 0; i < axes.size(); ++i) global &= axes[i] == static_cast<int64_t>(i) + 2;
  return global ? w.emit("GlobalAveragePool", n.inputs) : reduced(w, n, "ReduceMean");
}

const RegisterExport kReductions[] = {
    {"reduce_sum", [](OnnxWriter& w, const ExportNode& n) { return reduced(w, n, "ReduceSum"); }},
    {"reduce_mean", mean},
    {"reduce_max", [](OnnxWriter& w, const ExportNode& n) { return reduced(w, n, "ReduceMax"); }},
    {"reduce_min", [](OnnxWriter& w, const ExportNode& n) { return reduced(w, n, "ReduceMin"); }},
    {"reduce_prod", [](OnnxWriter& w, const ExportNode& n) { return reduced(w, n, "ReduceProd"); }},
    {"reduce_log_sum_exp", [](OnnxWriter& w, const ExportNode& n) { return reduced(w, n, "ReduceLogSumExp"); }},
};

const RegisterExport softmax("softmax", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("Softmax", n.inputs, {{"axis", n.attributes().integer("axis")}});
});

const RegisterExport log_softmax("log_softmax", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("LogSoftmax", n.inputs, {{"axis", n.attributes().integer("axis")}});
});

const RegisterExport cumsum("cumsum", [](OnnxWriter& w, const ExportNode& n) {
  return w.emit("CumSum", {n.inputs[0], w.integer(n.attributes().integer("axis"))},
                {{"exclusive", n.attributes().integer("exclusive")}, {"reverse", n.attributes().integer("reverse")}});
});

}  // namespace
}  // namespace ascribe::core::export_reduction
