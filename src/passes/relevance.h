// Layer-wise relevance propagation as a graph: a reverse sweep that passes the relevance of every node to its operands.
// Layers follow the rule that a rule set gives them; all operations between layers have their own rules
// (docs/theory/relevance.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "passes/append_copy.h"
#include "passes/rules/rule_set.h"
#include "passes/sweep_step.h"

namespace ascribe::core {

// Appends the relevance of each source, of its shape, for relevance seed * target at the target. `target` and
// `sources` are values of the model, `at_x` tells where they are in the builder's graph. Fails, kind unsupported,
// naming the node, where there is no rule. `trace` receives what happened at every node, from the target on.
std::vector<Value> append_relevance(Builder& builder, const Graph& model, const Placed& at_x, Value target, Value seed,
                                    std::span<const Value> sources, const RuleSet& rules,
                                    std::vector<SweepStep>* trace = nullptr);

// What relevance does not want expanded: operations with an adjoint, activations, normalisation.
bool kept_for_relevance(const Op& op);

}  // namespace ascribe::core
