#include "passes/choices.h"

#include <algorithm>

#include "graph/builder.h"
#include "passes/expand_composites.h"

namespace ascribe::core {

namespace {

// Functions of one element that are made of pieces (hard swish, elu) have their kinks inside. Those of several elements
// (softmax, normalisation) compare only in order not to overflow.
bool smooth_as_a_whole(const Op& op) { return op.op_class == OpClass::composite && !op.traits.pointwise; }

class Choices {
 public:
  explicit Choices(const Graph& graph) : graph_(expand_composites(graph, smooth_as_a_whole).graph), b_(graph_) {}

  Graph made() {
    look();
    graph_.drop_unread();
    return std::move(graph_);
  }

  std::vector<std::string> places() {
    look();
    return std::move(places_);
  }

 private:
  void look() {
    graph_.drop_unread();
    find_moving();
    graph_.outputs.clear();
    const size_t count = moves_.size();
    for (size_t i = 0; i < count; ++i) {
      if (moves_[i]) look_at(Value{static_cast<int32_t>(i)});
    }
  }

  void find_moving() {
    moves_.assign(graph_.nodes.size(), false);
    for (const Port& port : graph_.inputs) {
      moves_[static_cast<size_t>(port.value.index)] = graph_[port.value].type.kind == Kind::real;
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const Value input : graph_.nodes[i].inputs) moves_[i] = moves_[i] || moves(input);
    }
  }
  bool moves(Value value) const { return moves_[static_cast<size_t>(value.index)]; }
  bool moves_as_real(Value value) const { return moves(value) && b_.kind(value) == Kind::real; }

  void look_at(Value value) {
    const Node node = graph_[value];
    b_.set_where(describe(node));
    if (node.op->traits.straight_through) return;  // no kink for derivatives
    if (node.op->op_class == OpClass::plumbing) {
      const bool chooses =
          std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value v) { return moves_as_real(v); });
      if (chooses) add(node.op->name == "max_pool_indices" ? within_row(value, node.inputs[0]) : value);
      return;
    }
    if (node.op->choice < 0) return;
    const Value choice = node.inputs[static_cast<size_t>(node.op->choice)];
    if (!moves_as_real(choice)) return;  // what decides is an integer or a boolean, and seen where it is made
    if (node.op->traits.windowed) {
      Attributes attributes = node.attributes;
      attributes.set("storage_order", ints({0}));
      add(within_row(b_.op("max_pool_indices", {choice}, attributes), choice));
    } else {
      add(b_.op("less_equal", {choice, b_.scalar(0)}));
    }
  }

  // Positions count through all rows.
  Value within_row(Value positions, Value of) {
    Dims row = b_.shape(of);
    row[0] = 1;
    return b_.op("mod", {positions, b_.integer(product(row).fixed)}, {{"fmod", ints({0})}});
  }

  void add(Value choice) {
    if (places_.empty() || places_.back() != b_.where()) places_.push_back(b_.where());
    const Dims& shape = b_.shape(choice);
    if (shape.empty() || shape[0] != kBatch) return;  // rows cannot be told apart
    b_.output(fmt::format("choice{}", graph_.outputs.size()), b_.cast(choice, Kind::real));
  }

  Graph graph_;
  Builder b_;
  std::vector<bool> moves_;
  std::vector<std::string> places_;
};

}  // namespace

Graph choices_of(const Graph& graph) { return Choices(graph).made(); }

std::vector<std::string> kinks_in(const Graph& graph) { return Choices(graph).places(); }

bool has_kinks(const Graph& graph) { return !kinks_in(graph).empty(); }

}  // namespace ascribe::core
