// A model entered at a node: what the node computes becomes an input, so that explanations can be about it. Token ids
// have no derivative; the rows of their embedding have one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

struct Cut {
  Graph before;              // inputs: the model's; its only output: the value at the node
  Graph behind;              // input 0: that value; then the model's inputs that are read all the same
  std::vector<size_t> kept;  // which ones those are, by their place in the model
};

// `input`: the model's input in whose place the value stands, under its name; if it is read all the same, it keeps the
// name with "_beside" behind it.
Cut cut_at(const Graph& model, Value value, size_t input);

// `behind` or any graph with its inputs, after `before`: a graph of the model's inputs.
Graph joined(const Cut& cut, const Graph& behind);

// A table [entries, width] in which an input looks up its numbers.
struct Embedding {
  Value value;  // [N, positions, width]
  int64_t entries = 0, width = 0;
  std::string table;  // the name of the node, or of the table
};

// Those of an integer input, the largest table first: token embeddings come before those of few kinds. What the
// numbers are made into before they are looked up (positions counted from a mask) is not an embedding of theirs.
std::vector<Embedding> embeddings_of(const Graph& model, size_t input);

// What the node of this name gives, after canonicalizing; nothing: there is none.
std::optional<Value> node_named(const Graph& model, std::string_view name);
// Real values with a row for each row of the inputs, which a model can be entered at.
std::vector<std::string> enterable_nodes(const Graph& model);

}  // namespace ascribe::core
