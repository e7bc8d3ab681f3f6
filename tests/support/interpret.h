// The slow and obvious way to run a graph: every node in order, by its reference `apply`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace ascribe::core {

// The value of every node. `inputs` holds a tensor for each input of the graph, by name.
inline std::vector<Tensor> interpret_nodes(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                                           int64_t batch, DType real_dtype = DType::f64) {
  std::vector<Tensor> values;
  for (const Node& node : graph.nodes) {
    Tensor value;
    if (node.op->name == "input") {
      value = inputs.at(node.name);
      require(value.shape() == at(node.type.shape, batch), node.name, "the tensor does not fit the input");
    } else if (node.op->op_class == OpClass::source) {
      value = constant_at(node, batch);
    } else {
      std::vector<Tensor> operands;
      for (const Value input : node.inputs) operands.push_back(values[static_cast<size_t>(input.index)]);
      value = evaluate(*node.op, operands, node.attributes.resolved(batch), node.type, batch, real_dtype);
    }
    if (kind_of(value.dtype()) == Kind::real) value = value.cast(real_dtype);
    values.push_back(value);
  }
  return values;
}

// The outputs of the graph, in their order.
inline std::vector<Tensor> interpret(const Graph& graph, const std::map<std::string, Tensor>& inputs, int64_t batch,
                                     DType real_dtype = DType::f64) {
  const auto values = interpret_nodes(graph, inputs, batch, real_dtype);
  std::vector<Tensor> outputs;
  for (const Port& port : graph.outputs) outputs.push_back(values[static_cast<size_t>(port.value.index)]);
  return outputs;
}

}  // namespace ascribe::core
