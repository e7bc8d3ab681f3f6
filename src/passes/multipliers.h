// DeepLIFT's multipliers as a graph: a reverse sweep over a network that the graph has twice, at x and at a reference.
// A multiplier m of a value v says that v's change v(x) - v(b) explains m (v(x) - v(b)) of the output's change. Every
// rule preserves the sum of m * change (docs/theory/relevance.md).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "passes/append_copy.h"
#include "passes/modules.h"
#include "passes/sweep_step.h"

namespace ascribe::core {

// A layer and the activation behind it, at x and at the reference.
struct ModuleRequest {
  const LinearMap& map;
  const Node& activation;
  Value activated;  // the activation in the model, which tells modules apart
  int64_t depth;    // layers on the longest way from an input to it
  Value x_b, z, z_b, y, y_b;
  Value multiplier;  // of y

  Builder& b() const { return map.b(); }
  Value x() const { return map.x(); }
};

// The multiplier of x.
using ModuleRule = std::function<Value(const ModuleRequest&)>;

// Appends the multipliers of the sources, of their shapes, for `seed` at the target; target and sources are values of
// the model. `module` replaces Rescale where an activation follows a layer, directly or behind operations that could
// as well follow it: those that move elements and, if it rises, maxima. `alone` receives the activations and choices of
// the model that follow no layer and are left to Rescale, `trace` what happened at every node, from the target on.
// Fails, kind unsupported, naming the node, where there is no rule.
std::vector<Value> append_multipliers(Builder& builder, const Graph& model, const Placed& at_x, const Placed& at_b,
                                      Value target, Value seed, std::span<const Value> sources,
                                      const ModuleRule& module = nullptr, std::vector<Value>* alone = nullptr,
                                      std::vector<SweepStep>* trace = nullptr);

// What the sweep does not want expanded: operations with an adjoint, activations, extrema.
bool kept_for_multipliers(const Op& op);

// What becomes of an input of a module that does not change.
enum class AtZero {
  limit,       // of its multiplier, as the change goes to 0
  derivative,  // of the activation at x
};

// DeepLIFT's rule of modules; Deep SHAP's is in rules/neuron_shapley.h.
ModuleRule reveal_cancel(AtZero at_zero);

}  // namespace ascribe::core
