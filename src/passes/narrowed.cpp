#include "passes/narrowed.h"

#include <algorithm>

#include "graph/builder.h"

namespace ascribe::core {

namespace {

class Narrowing {
 public:
  Narrowing(Graph& graph, int64_t place) : b_(graph), readers_(graph.reader_counts()), place_(place) {}

  // The value with only this place of its axis.
  Value narrow(Value value, int64_t axis) {
    const Node node = b_.graph()[value];
    const bool shared = readers_[static_cast<size_t>(value.index)] > 1;
    if (!shared && keeps_places_apart(node, axis)) return again(node, axis);
    return b_.slice(value, axis, place_, 1);
  }

 private:
  bool keeps_places_apart(const Node& node, int64_t axis) const {
    if (node.op->traits.pointwise) return true;
    if (node.op->name == "normalize") {
      const std::vector<int64_t> axes = node.attributes.integers("axes");
      return std::find(axes.begin(), axes.end(), axis) == axes.end();
    }
    // The rows of the left matrices are those of the product.
    return node.op->name == "matmul" && !node.attributes.flag("transpose_a") && b_.rank(node.inputs[0]) > 1 &&
           b_.rank(node.inputs[1]) > 1 && axis == static_cast<int64_t>(node.type.shape.size()) - 2;
  }

  Value again(const Node& node, int64_t axis) {
    const bool product = node.op->name == "matmul";
    std::vector<Value> operands;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool whole = product && i == 1;
      operands.push_back(whole ? node.inputs[i] : operand(node, node.inputs[i], axis));
    }
    b_.set_name(node.name);
    b_.set_where(describe(node));
    return b_.op(node.op->name, std::move(operands), node.attributes);
  }

  // Operands are broadcast from behind: those without the axis, or with 1 place on it, stay.
  Value operand(const Node& node, Value value, int64_t axis) {
    const int64_t own = axis - (static_cast<int64_t>(node.type.shape.size()) - b_.rank(value));
    const bool has_places = own >= 0 && b_.shape(value)[static_cast<size_t>(own)] != Dim(1);
    return has_places ? narrow(value, own) : value;
  }

  Builder b_;
  std::vector<int> readers_;
  int64_t place_;
};

}  // namespace

Graph narrowed(const Graph& graph, size_t output, int64_t axis, int64_t place) {
  Graph narrow = graph;
  narrow.outputs = {graph.outputs[output]};
  narrow.drop_unread();
  narrow.outputs[0].value = Narrowing(narrow, place).narrow(narrow.outputs[0].value, axis);
  narrow.drop_unread();
  return narrow;
}

}  // namespace ascribe::core
