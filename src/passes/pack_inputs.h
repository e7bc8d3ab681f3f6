// Several inputs of a network as one row of numbers: what masks or changes that row masks and changes all of them.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

struct PackedInput {
  size_t input = 0;    // of the network
  std::string name;    // its name
  Shape row;           // of it, without the axis of rows
  int64_t first = 0;   // where it begins in the packed row
  bool whole = false;  // codes or other whole numbers: there is no derivative
  int64_t size() const { return element_count(row); }
};

struct PackedGraph {
  Graph graph;  // its first input is the packed one [N, total]; those that are not packed follow
  std::vector<PackedInput> parts;
};

// Packs these inputs, which have rows, under this name. Integers that the network only turns into reals become reals.
PackedGraph pack_inputs(const Graph& model, const std::vector<size_t>& inputs, const std::string& name);

}  // namespace ascribe::core
