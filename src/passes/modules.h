// What the back-propagation methods see in a network: which values the inputs move, its layers (a linear operation
// with constant weights and its bias), and a layer as a linear map that runs both ways with modified weights.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "passes/append_copy.h"

namespace ascribe::core {

// Which nodes depend on the sources by more than a choice.
std::vector<bool> moved_by(const Graph& model, std::span<const Value> sources);

std::string_view to_string(LayerKind kind);

// A product with weights (the trait `layer`) of which the inputs move one operand only. A constant that is added to it
// belongs to it, if nobody else reads the product: MatMul and Add of a file are one layer.
struct Layer {
  Value linear;
  Value sum;  // z, with the bias; `linear` itself if nothing is added
  size_t operand = 0;
  LayerKind kind = LayerKind::dense;
  std::string name;
};

// In the order of the network, as far as the target depends on them.
std::vector<Layer> find_layers(const Graph& model, const std::vector<bool>& moved, Value target);

// Whether an activation may as well come before this operation: s(P(u)) = P(s(u)). So it is for what only moves
// elements, and for maxima and minima if the activation never falls.
bool commutes_with(const Node& node, const Node& activation);

enum class Part { all, positive, negative, squared, ones };

// A linear operation of the moved operand, with or without weights.
class LinearMap {
 public:
  // `self`: the node in the builder's graph.
  LinearMap(Builder& builder, Value self, size_t operand);

  Builder& b() const { return b_; }
  Value x() const { return node_.inputs[operand_]; }
  const Node& node() const { return node_; }
  bool weighted() const { return weight_ >= 0; }
  int weight_operand() const { return weight_; }
  // The operation without its bias. Invalid where nothing is left: the negative part of a mean.
  Value forward(Value x, Part part = Part::all) const;
  // Its transpose, in the shape of x.
  Value backward(Value s, Part part = Part::all) const;

 private:
  std::vector<Value> operands(Value x, Part part) const;

  Builder& b_;
  Value self_;
  Node node_;
  size_t operand_;
  int weight_ = -1;
  mutable std::map<Part, Value> parts_;  // of the weight, so that both ways read the same constant
};

// The part of a value, as nodes: max(x, 0), min(x, 0), x^2, 1.
Value part_of(Builder& b, Value x, Part part);

// Sums over the axes along which an operand of this shape was broadcast.
Value summed_to(Builder& b, Value value, Dims shape);

// Whether a value is never negative: squares and what operations that are never negative give, behind others that keep
// the sign (the trait `sign`). False if it cannot be told from the `depth` operations before it.
bool never_negative(const Graph& graph, Value value, int depth = 12);

}  // namespace ascribe::core
