#include "passes/rows_apart.h"

#include <algorithm>
#include <optional>
#include <set>

namespace ascribe::core {

namespace {

// The one axis along which rows lie behind each other, k elements for each: [N k].
std::optional<size_t> rows_axis(const Dims& shape) {
  std::optional<size_t> found;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis].is_fixed()) continue;
    if (found || shape[axis].fixed != 0) return std::nullopt;
    found = axis;
  }
  return found;
}

// Axes counted from the last, as broadcasting aligns them.
size_t from_behind(const Dims& shape, size_t axis) { return shape.size() - axis; }

class Apart {
 public:
  explicit Apart(const Graph& graph) : graph_(graph) {}

  bool holds() const {
    for (const Node& node : graph_.nodes) {
      if (node.op->op_class == OpClass::source) {
        if (node.op->name == "growing_constant") return false;
        if (!all_fixed(node.type.shape) && !rows_axis(node.type.shape)) return false;
        continue;
      }
      const bool reads_rows = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value v) { return grows(v); });
      if (!reads_rows && all_fixed(node.type.shape)) continue;
      if (!rows_axis(node.type.shape)) return false;
      for (const Value input : node.inputs) {
        if (grows(input) && !rows_axis(shape(input))) return false;
      }
      if (!keeps(node)) return false;
    }
    return true;
  }

 private:
  const Dims& shape(Value value) const { return graph_[value].type.shape; }
  bool grows(Value value) const { return !all_fixed(shape(value)); }
  size_t axis(Value value) const { return *rows_axis(shape(value)); }

  bool keeps(const Node& node) const {
    const std::string& op = node.op->name;
    static const std::set<std::string> kWindows = {"conv", "conv_transpose", "max_pool", "average_pool"};
    static const std::set<std::string> kReductions = {"reduce_mean", "reduce_sum",  "reduce_max",
                                                      "reduce_min",  "reduce_prod", "reduce_log_sum_exp"};
    static const std::set<std::string> kLanes = {"softmax", "log_softmax", "cumsum", "concat"};
    if (op == "reshape") return before(shape(node.inputs[0])) == before(node.type.shape);
    if (op == "transpose" || kReductions.contains(op)) return true;  // the axis is still there, so nothing joined rows
    if (op == "expand" || traits_of(node).pointwise) return aligned(node);
    if (kWindows.contains(op)) return windows(node);
    if (kLanes.contains(op)) return other_than(node, {node.attributes.integer("axis")});
    if (op == "normalize") return other_than(node, node.attributes.integers("axes"));
    if (op == "matmul") return matrices(node);
    if (op == "gather") return gathers(node);
    if (op == "resample") return resamples(node);
    if (op == "slice") return slices(node);
    if (op == "pad") return pads(node);
    return false;
  }

  // Elements in front of the rows: with equally many, the same ones belong to a row.
  static int64_t before(const Dims& dims) {
    int64_t count = 1;
    for (size_t i = 0; i < *rows_axis(dims); ++i) count *= dims[i].fixed;
    return count;
  }

  // Operands meet at the same place of the same row.
  bool aligned(const Node& node) const {
    const Dims& out = node.type.shape;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value input) {
      return !grows(input) || from_behind(shape(input), axis(input)) == from_behind(out, *rows_axis(out));
    });
  }

  bool windows(const Node& node) const {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (grows(node.inputs[i]) && (i > 0 || axis(node.inputs[i]) != 0)) return false;
    }
    return grows(node.inputs[0]) && *rows_axis(node.type.shape) == 0;
  }

  bool other_than(const Node& node, const std::vector<int64_t>& axes) const {
    const size_t rows = *rows_axis(node.type.shape);
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(rows)) != axes.end()) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](Value input) { return grows(input) && axis(input) == rows; });
  }

  // Rows are matrices of a stack, or rows or columns of one operand's only matrix; never what is summed over.
  bool matrices(const Node& node) const {
    const Value a = node.inputs[0], b = node.inputs[1];
    if (node.inputs.size() != 2 || shape(a).size() < 2 || shape(b).size() < 2) return false;
    const auto behind = [&](Value v) { return from_behind(shape(v), axis(v)); };  // 1: the last axis
    if (grows(a) && grows(b)) return behind(a) > 2 && behind(a) == behind(b);
    const bool first = grows(a);
    const bool transposed = node.attributes.flag(first ? "transpose_a" : "transpose_b");
    const size_t summed = first != transposed ? 1 : 2;
    return behind(first ? a : b) != summed;
  }

  bool gathers(const Node& node) const {
    if (grows(node.inputs[0])) {
      return !grows(node.inputs[1]) && static_cast<int64_t>(axis(node.inputs[0])) != node.attributes.integer("axis");
    }
    return true;  // every row takes what it names from the same table
  }

  bool resamples(const Node& node) const {
    return grows(node.inputs[0]) && !grows(node.inputs[1]) && !grows(node.inputs[2]) &&
           static_cast<int64_t>(axis(node.inputs[0])) != node.attributes.integer("axis");
  }

  bool slices(const Node& node) const {
    const size_t rows = axis(node.inputs[0]);
    return node.type.shape[rows] == shape(node.inputs[0])[rows] && node.attributes.dims("starts")[rows] == Dim(0) &&
           node.attributes.dims("steps")[rows] == Dim(1);
  }

  bool pads(const Node& node) const {
    const size_t rows = axis(node.inputs[0]);
    return node.attributes.dims("before")[rows] == Dim(0) && node.attributes.dims("after")[rows] == Dim(0);
  }

  const Graph& graph_;
};

}  // namespace

bool rows_stay_apart(const Graph& graph) { return Apart(graph).holds(); }

}  // namespace ascribe::core
