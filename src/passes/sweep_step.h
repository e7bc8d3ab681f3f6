// What a sweep that goes back through a network did at one node: for traces.
#pragma once

#include <string>

#include "graph/builder.h"

namespace ascribe::core {

// Both numbers are sums over all elements and rows, as values of rank 0: of relevance, or of multiplier times change.
struct SweepStep {
  Value node;        // in the model
  std::string rule;  // what was done there, in a word
  Value received;    // from everything that reads the node
  Value passed_on;   // to its operands
};

// The sum over all elements.
inline Value sum_of_all(Builder& b, Value x) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < b.rank(x); ++axis) axes.push_back(axis);
  return axes.empty() ? x : b.reduce("reduce_sum", x, axes, false);
}

}  // namespace ascribe::core
