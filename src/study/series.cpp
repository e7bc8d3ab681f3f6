#include "study/series.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ascribe::core::study {

namespace {

// What each axis of a value is: an axis of the input's row (0 or 1), the rows themselves, or an axis of length 1 that
// the model put in.
constexpr int kRows = -1, kAdded = -2;
using Axes = std::vector<int>;

std::optional<Axes> after_reshape(const Axes& axes, const Dims& from, const Dims& to) {
  Axes result;
  size_t next = 0;
  for (const Dim& extent : to) {
    while (next < from.size() && from[next] != extent && from[next] == Dim(1)) ++next;
    if (next < from.size() && from[next] == extent) result.push_back(axes[next++]);
    else if (extent == Dim(1)) result.push_back(kAdded);
    else return std::nullopt;
  }
  while (next < from.size() && from[next] == Dim(1)) ++next;
  return next == from.size() ? std::optional(result) : std::nullopt;
}

// The axes of what a node gives, if it leaves steps and channels where they are or only moves them.
std::optional<Axes> axes_after(const Graph& graph, const Node& node, Value from, const Axes& axes) {
  const Dims& shape = graph[from].type.shape;
  if (node.op->name == "transpose") {
    Axes moved;
    for (const int64_t axis : node.attributes.integers("perm")) moved.push_back(axes[static_cast<size_t>(axis)]);
    return moved;
  }
  if (node.op->name == "reshape") return after_reshape(axes, shape, node.type.shape);
  if (node.op->name == "pad" || (traits_of(node).pointwise && node.type.shape == shape)) return axes;
  return std::nullopt;
}

// The axis of the row that holds the channels, if the node tells it: 0 or 1, or kAdded if there is only one channel.
std::optional<int> channels_told_by(const Graph& graph, const Node& node, Value from, const Axes& axes) {
  const bool first = !node.inputs.empty() && node.inputs[0].index == from.index;
  if (node.op->name == "conv" && first) {
    const auto steps = std::count_if(axes.begin() + 2, axes.end(), [](int axis) { return axis != kAdded; });
    if (axes[0] == kRows && steps == 1) return axes[1];
  }
  // Without rows, or behind them: steps and channels.
  const bool two_axes = axes.size() == 3 || (axes.size() == 2 && axes[0] != kRows);
  const bool product = node.op->name == "matmul" && first && two_axes && node.inputs[1].index != from.index &&
                       graph[node.inputs[1]].type.shape.size() == 2;
  if (product && !node.attributes.flag("transpose_a") && graph.is(node.inputs[1], "constant")) return axes.back();
  return std::nullopt;
}

}  // namespace

std::optional<ImageShape> series_read(const Graph& graph, Value input) {
  const Type& type = graph[input].type;
  const Dims& shape = type.shape;
  const bool batched = !shape.empty() && !shape[0].is_fixed();
  if (type.kind != Kind::real || shape.size() < 2 || shape.size() > 3) return std::nullopt;
  // A file that counts no rows, [steps, channels], is one row.
  const bool single = !batched && shape[0] != Dim(1);
  if (single && shape.size() != 2) return std::nullopt;
  const Dims rest(shape.begin() + (single ? 0 : 1), shape.end());
  if (!all_fixed(rest)) return std::nullopt;
  const Shape row = at(rest, 1);
  Axes axes;
  if (!single) axes.push_back(kRows);
  for (size_t axis = 0; axis < row.size(); ++axis) axes.push_back(static_cast<int>(axis));
  std::map<int64_t, Axes> reached = {{input.index, axes}};
  for (const Node& node : graph.nodes) {
    for (const Value from : node.inputs) {
      const auto known = reached.find(from.index);
      if (known == reached.end()) continue;
      if (const auto channels = channels_told_by(graph, node, from, known->second)) {
        if (row.size() == 2 && *channels >= 0) return series_shape(row, *channels == 0);
        if (row.size() == 1 && *channels == kAdded) return series_shape(row, true);
        return std::nullopt;
      }
      const auto after = axes_after(graph, node, from, known->second);
      if (after) reached[&node - graph.nodes.data()] = *after;
    }
  }
  return std::nullopt;
}

ImageShape series_by_length(const Shape& row) { return series_shape(row, row.size() == 2 && row[1] > row[0]); }

}  // namespace ascribe::core::study
