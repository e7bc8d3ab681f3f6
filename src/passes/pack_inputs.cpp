#include "passes/pack_inputs.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/builder.h"
#include "passes/append_copy.h"

namespace ascribe::core {

namespace {

constexpr int64_t kLargestRow = int64_t{1} << 31;

// Whether everything that reads the value makes a real of it.
bool only_becomes_real(const Graph& graph, Value value) {
  for (const Node& node : graph.nodes) {
    if (std::find(node.inputs.begin(), node.inputs.end(), value) == node.inputs.end()) continue;
    if (node.op->name != "cast" || node.type.kind != Kind::real) return false;
  }
  return std::none_of(graph.outputs.begin(), graph.outputs.end(),
                      [&](const Port& port) { return port.value == value; });
}

// The network with whole numbers as reals where that is what it makes of them.
Graph with_real_columns(const Graph& model, const std::vector<size_t>& inputs) {
  Graph result = model;
  for (const size_t i : inputs) {
    const Value value = model.inputs[i].value;
    if (model[value].type.kind == Kind::integer && only_becomes_real(model, value)) {
      result[value].type.kind = Kind::real;
    }
  }
  return result;
}

PackedInput packed_input(const Graph& model, size_t input, int64_t first) {
  const Port& port = model.inputs[input];
  const Type& type = model[port.value].type;
  if (type.shape.empty() || type.shape[0] != kBatch) {
    fail(ErrorKind::unsupported, port.name, "inputs are explained together row by row; got {}; expected [N, ...]",
         to_string(type.shape));
  }
  PackedInput part{input, port.name, {}, first, type.kind != Kind::real};
  for (size_t axis = 1; axis < type.shape.size(); ++axis) {
    if (!type.shape[axis].is_fixed()) {
      fail(ErrorKind::unsupported, port.name, "its size depends on the number of rows; got {}", to_string(type.shape));
    }
    part.row.push_back(type.shape[axis].fixed);
  }
  return part;
}

}  // namespace

PackedGraph pack_inputs(const Graph& given, const std::vector<size_t>& inputs, const std::string& name) {
  const Graph model = with_real_columns(given, inputs);
  PackedGraph packed;
  int64_t total = 0;
  for (const size_t i : inputs) {
    packed.parts.push_back(packed_input(model, i, total));
    total = checked_add(total, packed.parts.back().size(), name);
  }
  if (total < 1 || total > kLargestRow) fail(ErrorKind::unsupported, name, "got {} numbers in a row", total);
  packed.graph = model;
  packed.graph.inputs.clear();
  packed.graph.outputs.clear();
  Builder b(packed.graph);
  b.set_where("packed inputs");
  const Value row = b.input(name, {Kind::real, {kBatch, total}}, "float32");
  std::vector<Value> values(model.inputs.size());
  for (const PackedInput& part : packed.parts) {
    const Port& port = model.inputs[part.input];
    b.set_name(port.name);
    Value value = b.slice(row, 1, part.first, part.size());
    value = b.reshape(value, model[port.value].type.shape);
    if (part.whole) value = b.cast(b.op("codes", {value}), model[port.value].type.kind);
    values[part.input] = value;
  }
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const Port& port = model.inputs[i];
    if (!values[i].valid()) values[i] = b.input(port.name, model[port.value].type, port.element_type);
  }
  std::vector<Value> outputs;
  for (const Port& port : model.outputs) outputs.push_back(port.value);
  const Placed placed = append_copy(b, model, values, outputs);
  for (const Port& port : model.outputs) b.output(port.name, placed(port.value), port.element_type);
  packed.graph.drop_unread();
  return packed;
}

}  // namespace ascribe::core
