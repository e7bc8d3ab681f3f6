// A network without kinks, near one with: softplus at the temperature T,
//   s(z) = log(1 + exp(T z)) / T,     0 <= s(z) - max(z, 0) <= log(2) / T,
// in the place of every kink, as the paper's footnote replaces ReLU; maxima over many become log-sum-exp. As T grows
// the network becomes the given one, and its Taylor series at a point reach less and less far: s has its nearest
// singularities at z = +-i pi / T (docs/theory/kinks.md).
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace ascribe::core {

struct Smoothed {
  Graph graph;
  int64_t replaced = 0;           // operations
  std::vector<std::string> left;  // kinks and jumps that no softplus stands for, described
};

// relu, leaky_relu, clip, abs, maximum, minimum, max_pool, reduce_max, reduce_min, and functions made of them (elu,
// hard swish). Left: conditions, rounding, sorting.
Smoothed smooth_kinks(const Graph& graph, double temperature);

}  // namespace ascribe::core
