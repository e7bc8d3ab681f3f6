// Attribution methods the slow and obvious way: central differences of a graph that is interpreted node by node.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/interpret.h"
#include "support/ops.h"

namespace ascribe::core {

// f of the first input, one row, as element `target` of the first output. `node`, if given, is held at `held`.
inline double slow_value(const Graph& graph, const Tensor& x, int64_t target, std::optional<size_t> node = {},
                         const Tensor& held = {}) {
  std::vector<Tensor> values;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    std::vector<Tensor> operands;
    for (const Value input : n.inputs) operands.push_back(values[static_cast<size_t>(input.index)]);
    if (node == i) values.push_back(held);
    else if (n.op->name == "input") values.push_back(x);
    else if (n.op->op_class == OpClass::source) values.push_back(constant_at(n, 1));
    else values.push_back(evaluate(*n.op, operands, n.attributes.resolved(1), n.type, 1, DType::f64));
  }
  return values[static_cast<size_t>(graph.outputs[0].value.index)].at(target);
}

// df/dx_i by central differences; their error is of order step^2.
inline std::vector<double> slow_gradient(const std::function<double(const Tensor&)>& f, const Tensor& x,
                                         double step = 1e-5) {
  std::vector<double> slopes;
  for (size_t i = 0; i < static_cast<size_t>(x.size()); ++i) {
    Tensor right = x, left = x;
    right.mutable_data<double>()[i] += step;
    left.mutable_data<double>()[i] -= step;
    slopes.push_back((f(right) - f(left)) / (2 * step));
  }
  return slopes;
}

// Integrated gradients by the midpoint rule with many points.
inline std::vector<double> slow_integrated_gradients(const Graph& graph, const Tensor& x, const Tensor& baseline,
                                                     int64_t target, int points) {
  std::vector<double> values(static_cast<size_t>(x.size()), 0.0);
  const auto f = [&](const Tensor& at) { return slow_value(graph, at, target); };
  for (int k = 0; k < points; ++k) {
    Tensor at = baseline;
    const auto to = at.mutable_data<double>();
    for (size_t i = 0; i < to.size(); ++i) to[i] += (k + 0.5) / points * (x.at(static_cast<int64_t>(i)) - to[i]);
    const auto slopes = slow_gradient(f, at);
    for (size_t i = 0; i < slopes.size(); ++i) {
      const auto element = static_cast<int64_t>(i);
      values[i] += slopes[i] * (x.at(element) - baseline.at(element)) / points;
    }
  }
  return values;
}

// The map of Grad-CAM at a node [1, channels, height, width], before ReLU: every sum written out.
inline std::vector<double> slow_cam_map(const Graph& graph, const Tensor& x, int64_t target, size_t node) {
  const Tensor layer = interpret_nodes(graph, {{graph.inputs[0].name, x}}, 1)[node];
  const auto f = [&](const Tensor& held) { return slow_value(graph, x, target, node, held); };
  const auto slopes = slow_gradient(f, layer);
  const auto channels = static_cast<size_t>(layer.shape()[1]), positions = slopes.size() / channels;
  std::vector<double> map(positions, 0.0);
  for (size_t k = 0; k < channels; ++k) {
    double alpha = 0;
    for (size_t p = 0; p < positions; ++p) alpha += slopes[k * positions + p] / static_cast<double>(positions);
    for (size_t p = 0; p < positions; ++p) map[p] += alpha * layer.at(static_cast<int64_t>(k * positions + p));
  }
  return map;
}

}  // namespace ascribe::core
