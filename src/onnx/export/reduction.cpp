// Sums, means and other reductions along axes; softmax.
#include "onnx/export/writer.h"

namespace ascribe {
namespace {

std::string reduced(OnnxWriter& w, const ExportNode& n, const std::string& op_type) {
  return w.reduce(op_type, n.inputs[0], n.attributes().integers("axes"), n.attributes().flag("keepdims"));
}

const RegisterExport kReductions[] = {
    {"reduce_sum", [](OnnxWriter& w, const ExportNode& n) { return reduced(w, n, "ReduceSum"); }},
    {"reduce_mean", [](OnnxWriter& w, const ExportNode& n) { return reduced(w, n, "ReduceMean"); }},
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
}  // namespace ascribe
