// The gradient as a graph: reverse accumulation, each operation's adjoint written as core operations. The
// result can be differentiated again, run on jets, and exported.
//
// Integers and booleans carry no gradient. Floor, ceil, round and sign have derivative 0. At kinks: relu,
// leaky_relu and clip have the derivative of their constant (or lower) piece, ties of maxima go to the first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace ascribe::core {

// Appends to the builder's graph nodes for the gradient of sum(seed * target) with respect to each of
// `sources`, and gives them. `seed` has the shape of `target`. Fails, kind unsupported, naming the node,
// if a source reaches the target only through nodes without derivative. Every node between them must be
// differentiable: see expand_composites. `guide`, if given, changes the gradient that arrives at a node.
using GradientGuide = Value (*)(Builder&, const Node&, Value gradient);
std::vector<Value> append_gradient(Builder& builder, Value target, Value seed, std::span<const Value> sources,
                                   std::vector<std::string>* notes = nullptr, GradientGuide guide = nullptr);

// What to differentiate: sum(seed * output), where seed is a new input of the graph.
struct GradientOptions {
  size_t output = 0;                     // which of the graph's outputs
  std::vector<std::string> inputs = {};  // with respect to which; empty: all real ones
  std::string seed = "seed";             // name of the new input
};

struct Gradient {
  Graph graph;  // inputs: the graph's own and the seed; outputs: the chosen one, then a gradient per input
  std::vector<std::string> notes;
};

Gradient gradient(const Graph& graph, const GradientOptions& options = {});

}  // namespace ascribe::core
