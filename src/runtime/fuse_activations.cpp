#include "runtime/fuse_activations.h"

#include <cmath>
#include <optional>

namespace ascribe::core::fuse_activations_pass {
namespace {

class Activations {
 public:
  explicit Activations(Graph& graph) : g_(graph) {}

  void run() {
    for (Node& node : g_.nodes) {
      if (node.type.kind != Kind::real) continue;
      if (const auto x = silu_of(node)) become(node, "silu", *x);
      else if (const auto y = hard_swish_of(node)) become(node, "hard_swish", *y);
      else broadcast(node);
    }
  }

 private:
  void become(Node& node, std::string_view op, Value x) {
    node.op = &op_named(op);
    node.inputs = {x};
    node.attributes = {};
  }

  bool is(Value value, std::string_view op) const { return g_.is(value, op); }

  std::optional<double> number(Value value) const {
    if (!is(value, "constant") || g_[value].constant.size() != 1) return std::nullopt;
    return g_[value].constant.at(0);
  }

  // Numbers of a file are often rounded to float32.
  static bool is_about(std::optional<double> value, double expected) {
    return value && std::abs(*value - expected) <= 1e-7 * std::abs(expected);
  }

  // The other operand, if one of them is this number.
  std::optional<Value> beside(const Node& node, double expected) const {
    for (const size_t side : {size_t{0}, size_t{1}}) {
      if (is_about(number(node.inputs[side]), expected) && same_shape(node, node.inputs[1 - side])) {
        return node.inputs[1 - side];
      }
    }
    return std::nullopt;
  }

  bool same_shape(const Node& node, Value value) const { return g_[value].type.shape == node.type.shape; }

  // x: node is (x, f) or (f, x). A derivative that reads f, too, computes it again (fuse_rows).
  template <class F>
  std::optional<Value> product_with(const Node& node, F is_function_of) const {
    if (node.op->name != "mul") return std::nullopt;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const Value x = node.inputs[side], f = node.inputs[1 - side];
      if (same_shape(node, x) && is_function_of(f, x)) return x;
    }
    return std::nullopt;
  }

  std::optional<Value> silu_of(const Node& node) const {
    return product_with(node, [&](Value f, Value x) { return is(f, "sigmoid") && g_[f].inputs[0] == x; });
  }

  // clip(inner, 0, high)
  std::optional<Value> clipped(Value value, double high) const {
    const Node& node = g_[value];
    if (node.op->name != "clip" || node.attributes.real("min") != 0 || node.attributes.real("max") != high) {
      return std::nullopt;
    }
    return node.inputs[0];
  }

  // clip(x + 3, 0, 6)
  bool is_wide_gate(Value gate, Value x) const {
    const auto inner = clipped(gate, 6);
    if (!inner || !is(*inner, "add")) return false;
    return beside(g_[*inner], 3) == x;
  }

  // clip(x / 6 + 1/2, 0, 1), or clip(x + 3, 0, 6) / 6.
  bool is_gate(Value gate, Value x) const {
    if (const auto wide = sixth_of(g_[gate]); wide && is_wide_gate(*wide, x)) return true;
    const auto inner = clipped(gate, 1);
    if (!inner || !is(*inner, "add")) return false;
    const auto scaled = beside(g_[*inner], 0.5);
    return scaled && sixth_of(g_[*scaled]) == x;
  }

  // y: the node is y / 6.
  std::optional<Value> sixth_of(const Node& node) const {
    if (node.op->name == "mul") return beside(node, 1.0 / 6);
    if (node.op->name == "div" && is_about(number(node.inputs[1]), 6) && same_shape(node, node.inputs[0])) {
      return node.inputs[0];
    }
    return std::nullopt;
  }

  std::optional<Value> hard_swish_of(const Node& node) const {
    if (const auto x = product_with(node, [&](Value f, Value v) { return is_gate(f, v); })) return x;
    const auto whole = sixth_of(node);
    if (!whole) return std::nullopt;
    return product_with(g_[*whole], [&](Value f, Value v) { return is_wide_gate(f, v); });
  }

  void broadcast(Node& node) const {
    if (node.op->name != "add" && node.op->name != "mul" && node.op->name != "sub") return;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const Value input = node.inputs[side];
      if (!is(input, "expand") || !same_shape(node, node.inputs[1 - side])) continue;
      node.inputs[side] = g_[input].inputs[0];
    }
  }

  Graph& g_;
};

}  // namespace
}  // namespace ascribe::core::fuse_activations_pass

namespace ascribe::core {

void fuse_activations(Graph& graph) { fuse_activations_pass::Activations(graph).run(); }

}  // namespace ascribe::core
