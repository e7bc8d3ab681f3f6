// A network or an explanation: nodes in an order in which they can be computed, each
// producing one value. Shapes may grow with the number of rows N (see dim.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/op.h"

namespace ascribe::core {

struct Value {
  int32_t index = -1;
  bool valid() const { return index >= 0; }
  friend auto operator<=>(const Value&, const Value&) = default;
};

struct Node {
  const Op* op = nullptr;
  std::vector<Value> inputs;
  Attributes attributes;
  Type type;
  std::string name;  // where it comes from in the model file; may be empty
  Tensor constant;   // of op "constant" only
};

inline Traits traits_of(const Node& node) { return traits_of(*node.op, node.attributes); }

// For complaints: "node 'conv1' (conv)".
std::string describe(const Node& node);

// An input or output of the graph under its public name.
struct Port {
  std::string name;
  Value value;
  std::string element_type = "float32";  // as the model file declares it
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::string name;

  Node& operator[](Value value) { return nodes[static_cast<size_t>(value.index)]; }
  const Node& operator[](Value value) const { return nodes[static_cast<size_t>(value.index)]; }
  bool is(Value value, std::string_view op) const { return (*this)[value].op->name == op; }

  // How many nodes and outputs read each value.
  std::vector<int> reader_counts() const;
  // The name, with as many underscores behind it as it takes to differ from the inputs'.
  std::string free_name(std::string name) const;
  // Removes the nodes that no output needs; inputs stay. Values are renumbered.
  void drop_unread();
};

}  // namespace ascribe::core
