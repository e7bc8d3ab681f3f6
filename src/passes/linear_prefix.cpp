#include "passes/linear_prefix.h"

#include <algorithm>

#include "graph/builder.h"
#include "passes/canonicalize.h"
#include "passes/gradient.h"

namespace ascribe::core {

namespace {

bool is_product(const Node& node) { return node.op->traits.layer != LayerKind::none; }

// Rows do not meet: the first axis counts them before and after.
bool keeps_rows(const Dims& before, const Dims& after) {
  return !before.empty() && !after.empty() && before[0] == after[0];
}

class Chain {
 public:
  Chain(const Graph& graph, Value start) : graph_(graph), readers_(graph.reader_counts()), end_(start) {
    while (const auto next = only_reader(end_)) {
      if (!affine_in(*next, end_)) break;
      end_ = *next;
      nodes_.push_back(end_);
    }
    const auto is_last = [&](Value value) { return is_product(graph_[value]); };
    auto last = std::find_if(nodes_.rbegin(), nodes_.rend(), is_last);
    const auto bias = last.base();  // one behind the product
    has_product_ = last != nodes_.rend();
    if (!has_product_) return;
    end_ = *last;
    if (bias != nodes_.end() && graph_.is(*bias, "add")) end_ = *bias;
  }

  bool has_product() const { return has_product_; }
  Value end() const { return end_; }

 private:
  std::optional<Value> only_reader(Value value) const {
    if (readers_[static_cast<size_t>(value.index)] != 1) return std::nullopt;
    for (size_t i = static_cast<size_t>(value.index) + 1; i < graph_.nodes.size(); ++i) {
      const auto& inputs = graph_.nodes[i].inputs;
      if (std::find(inputs.begin(), inputs.end(), value) != inputs.end()) return Value{static_cast<int32_t>(i)};
    }
    return std::nullopt;  // an output of the graph reads it
  }

  bool affine_in(Value reader, Value operand) const {
    const Node& node = graph_[reader];
    if (node.op->op_class != OpClass::linear && node.op->op_class != OpClass::bilinear) return false;
    if (!keeps_rows(graph_[operand].type.shape, node.type.shape)) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool is_operand = node.inputs[i] == operand;
      if (is_operand ? i != 0 && node.op->name == "div" : graph_[node.inputs[i]].op->op_class != OpClass::source) {
        return false;
      }
      if (!is_operand && graph_.is(node.inputs[i], "input")) return false;
    }
    return true;
  }

  const Graph& graph_;
  std::vector<int> readers_;
  Value end_;
  std::vector<Value> nodes_;
  bool has_product_ = false;
};

Graph prefix_of(const Graph& graph, size_t input, Value end) {
  Graph prefix = graph;
  prefix.inputs = {graph.inputs[input]};
  prefix.outputs = {{"h", end, graph.inputs[input].element_type}};
  prefix.drop_unread();
  return prefix;
}

// The node at the cut becomes an input.
Graph suffix_of(const Graph& graph, size_t input, Value end) {
  Graph suffix = graph;
  const std::string name = graph.inputs[input].name;
  Node& node = suffix[end];
  node = Node{&op_named("input"), {}, {}, graph[end].type, name, {}};
  suffix.inputs[input] = {name, end, graph.inputs[input].element_type};
  suffix.drop_unread();
  return suffix;
}

}  // namespace

std::optional<LinearPrefix> split_linear_prefix(const Graph& graph, size_t input) {
  const Value start = graph.inputs[input].value;
  const Dims& rows = graph[start].type.shape;
  if (rows.empty() || rows[0].is_fixed()) return std::nullopt;
  const Chain chain(graph, start);
  if (!chain.has_product()) return std::nullopt;
  const auto row_size = [&](Value value) { return element_count(at(graph[value].type.shape, 1)); };
  return LinearPrefix{prefix_of(graph, input, chain.end()), suffix_of(graph, input, chain.end()), row_size(chain.end()),
                      row_size(start)};
}

// The layer is affine: its gradient does not read the input.
Graph transposed_prefix(const LinearPrefix& cut) {
  Graph graph = gradient(cut.prefix, {0, {}, cut.prefix.free_name("seed")}).graph;
  graph.outputs.erase(graph.outputs.begin());
  graph.inputs.erase(graph.inputs.begin());
  graph.drop_unread();
  return canonicalize(graph);
}

}  // namespace ascribe::core
