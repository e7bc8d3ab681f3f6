// The way back through the network, node by node: what each node received and what it passed on, as sums over its
// elements. Relevance for LRP; multiplier times change for the DeepLIFT methods.
#pragma once

#include "methods/compile.h"
#include "methods/method.h"

namespace ascribe::core {

struct TraceStep {
  TracedNode node;
  double received = 0;                                  // from everything that reads the node
  double passed_on = 0;                                 // to its operands
  double lost() const { return received - passed_on; }  // negative: gained
};

struct Trace {
  double start = 0;              // what the method hands back: f(x), or f(x) - f(b)
  double arrived = 0;            // at the input, all elements; start less what was lost on the way
  std::vector<TraceStep> steps;  // from the output to the input
};

// Fails, kind unsupported, if the method does not go back node by node. Several baselines are averaged.
Trace trace(const Method& method, ExplainedModel& model, const Question& question, const Parameters& parameters,
            uint64_t seed = 0, const Progress& progress = {});

}  // namespace ascribe::core
