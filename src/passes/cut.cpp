#include "passes/cut.h"

#include <algorithm>
#include <array>
#include <map>

namespace ascribe::core {

namespace {

// Which values depend on these inputs.
std::vector<bool> depending(const Graph& model, const std::vector<Value>& on) {
  std::vector<bool> depends(model.nodes.size(), false);
  for (const Value value : on) depends[static_cast<size_t>(value.index)] = true;
  for (size_t i = 0; i < depends.size(); ++i) {
    for (const Value input : model.nodes[i].inputs) {
      if (depends[static_cast<size_t>(input.index)]) depends[i] = true;
    }
  }
  return depends;
}

std::vector<bool> depending_on_any_input(const Graph& model) {
  std::vector<Value> inputs;
  for (const Port& port : model.inputs) inputs.push_back(port.value);
  return depending(model, inputs);
}

// Passes numbers on as they are, or within bounds.
bool hands_on(const Node& node) {
  constexpr std::array<std::string_view, 4> kBounds = {"cast", "clip", "minimum", "maximum"};
  return node.op->traits.moves || std::find(kBounds.begin(), kBounds.end(), node.op->name) != kBounds.end();
}

// Which values are the input's numbers, moved about.
std::vector<bool> moved_from(const Graph& model, Value input) {
  const std::vector<bool> depends = depending(model, {input});
  std::vector<bool> moved(model.nodes.size(), false);
  for (size_t i = 0; i < moved.size(); ++i) {
    const Node& node = model.nodes[i];
    if (static_cast<int32_t>(i) == input.index) moved[i] = true;
    else if (depends[i] && hands_on(node)) {
      moved[i] = std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value one) {
        const auto at = static_cast<size_t>(one.index);
        return moved[at] || !depends[at];
      });
    }
  }
  return moved;
}

bool enterable(const Graph& model, Value value, const std::vector<bool>& depends) {
  const Node& node = model[value];
  if (node.type.kind != Kind::real || !depends[static_cast<size_t>(value.index)] || node.type.shape.empty())
    return false;
  if (node.op->name == "input") return false;
  const Port& port = model.inputs[0];
  const Dims& rows = model[port.value].type.shape;
  return !rows.empty() && node.type.shape[0] == rows[0];
}

// Inputs come first, in the order of the ports, as in a graph that a builder made.
void put_inputs_first(Graph& graph) {
  std::vector<Value> moved(graph.nodes.size());
  std::vector<Node> nodes;
  const auto take = [&](size_t i) {
    moved[i] = {static_cast<int32_t>(nodes.size())};
    nodes.push_back(std::move(graph.nodes[i]));
  };
  for (const Port& port : graph.inputs) take(static_cast<size_t>(port.value.index));
  for (size_t i = 0; i < moved.size(); ++i) {
    if (!moved[i].valid()) take(i);
  }
  const auto follow = [&](Value& value) { value = moved[static_cast<size_t>(value.index)]; };
  for (Node& node : nodes) std::for_each(node.inputs.begin(), node.inputs.end(), follow);
  for (auto* ports : {&graph.inputs, &graph.outputs}) {
    for (Port& port : *ports) follow(port.value);
  }
  graph.nodes = std::move(nodes);
}

}  // namespace

Cut cut_at(const Graph& model, Value value, size_t input) {
  Cut cut;
  cut.before = model;
  cut.before.outputs = {{"entered", value, "float32"}};
  cut.before.drop_unread();
  Graph behind = model;
  const std::string name = model.inputs[input].name;
  const std::vector<Port> ports = std::move(behind.inputs);
  behind[value] = Node{&op_named("input"), {}, {}, model[value].type, name, {}};
  behind.inputs = {{name, value, "float32"}};
  behind.drop_unread();  // the model's inputs that nothing reads are gone
  cut.behind = std::move(behind);
  // Nodes of inputs that are still there, in the order of the model.
  for (size_t i = 0; i < ports.size(); ++i) {
    for (size_t n = 0; n < cut.behind.nodes.size(); ++n) {
      const Node& node = cut.behind.nodes[n];
      const Value at{static_cast<int32_t>(n)};
      if (node.op->name != "input" || node.name != ports[i].name || at == cut.behind.inputs[0].value) continue;
      Port port = ports[i];
      port.value = at;
      if (i == input) cut.behind[at].name = port.name = model.free_name(port.name + "_beside");
      cut.behind.inputs.push_back(std::move(port));
      cut.kept.push_back(i);
      break;
    }
  }
  put_inputs_first(cut.behind);
  return cut;
}

Graph joined(const Cut& cut, const Graph& behind) {
  Graph graph = cut.before;
  graph.name = behind.name;
  const Value entered = graph.outputs[0].value;
  graph.outputs.clear();
  std::vector<Value> placed(behind.nodes.size());
  const auto place = [&](Value from, Value to) { placed[static_cast<size_t>(from.index)] = to; };
  require(behind.inputs.size() > cut.kept.size(), "joined", "the graphs do not fit together");
  place(behind.inputs[0].value, entered);
  for (size_t i = 0; i < cut.kept.size(); ++i) place(behind.inputs[i + 1].value, graph.inputs[cut.kept[i]].value);
  // A table that both parts read is one constant.
  std::map<const void*, Value> constants;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op->name == "constant" && node.constant.size() > 1) {
      constants[node.constant.memory()] = {static_cast<int32_t>(i)};
    }
  }
  for (size_t i = 0; i < behind.nodes.size(); ++i) {
    if (placed[i].valid()) continue;
    Node node = behind.nodes[i];
    if (node.op->name == "constant") {
      const auto known = constants.find(node.constant.memory());
      if (known != constants.end() && graph[known->second].type == node.type) {
        placed[i] = known->second;
        continue;
      }
    }
    for (Value& operand : node.inputs) operand = placed[static_cast<size_t>(operand.index)];
    placed[i] = {static_cast<int32_t>(graph.nodes.size())};
    graph.nodes.push_back(std::move(node));
  }
  for (size_t i = cut.kept.size() + 1; i < behind.inputs.size(); ++i) {
    Port port = behind.inputs[i];
    port.value = placed[static_cast<size_t>(port.value.index)];
    graph.inputs.push_back(std::move(port));
  }
  for (Port port : behind.outputs) {
    port.value = placed[static_cast<size_t>(port.value.index)];
    graph.outputs.push_back(std::move(port));
  }
  return graph;
}

std::vector<Embedding> embeddings_of(const Graph& model, size_t input) {
  const Value ids = model.inputs[input].value;
  std::vector<Embedding> found;
  if (model[ids].type.kind != Kind::integer) return found;
  const std::vector<bool> moved = moved_from(model, ids), computed = depending_on_any_input(model);
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    if (node.op->name != "gather" || node.attributes.integer("axis") != 0 || node.type.kind != Kind::real) continue;
    const Value table = node.inputs[0], indices = node.inputs[1];
    const Dims& shape = model[table].type.shape;
    if (computed[static_cast<size_t>(table.index)] || shape.size() != 2 || !all_fixed(shape)) continue;
    const Value value{static_cast<int32_t>(i)};
    if (node.type.shape.size() < 2 || !moved[static_cast<size_t>(indices.index)]) continue;
    found.push_back({value, shape[0].fixed, shape[1].fixed, node.name});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Embedding& a, const Embedding& b) { return a.entries > b.entries; });
  return found;
}

std::optional<Value> node_named(const Graph& model, std::string_view name) {
  for (size_t i = model.nodes.size(); i-- > 0;) {
    const Node& node = model.nodes[i];
    if (node.name == name && node.op->op_class != OpClass::source) return Value{static_cast<int32_t>(i)};
  }
  return std::nullopt;
}

std::vector<std::string> enterable_nodes(const Graph& model) {
  const std::vector<bool> depends = depending_on_any_input(model);
  std::vector<std::string> names;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const std::string& name = model.nodes[i].name;
    const Value value{static_cast<int32_t>(i)};
    if (name.empty() || node_named(model, name) != value || !enterable(model, value, depends)) continue;
    names.push_back(name);
  }
  return names;
}

}  // namespace ascribe::core
