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

namespace ascribe::core {

// A layer and the activation behind it, at x and at the reference.
struct ModuleRequest {
  const LinearMap& map;
  const Node& activation;  // node y in the builder's graph
  Value x_b, z, z_b, y, y_b;
  Value multiplier;  // of y
  Value tangent;     // of z, by the derivative of the activation at x

  Builder& b() const { return map.b(); }
  Value x() const { return map.x(); }
};

// The multiplier of x.
using ModuleRule = std::function<Value(const ModuleRequest&)>;

// Appends the multipliers of the sources, of their shapes, for `seed` at the target; target and sources are values of
// the model. `module` replaces Rescale where an activation follows a layer. Fails, kind unsupported, naming the node,
// where there is no rule.
std::vector<Value> append_multipliers(Builder& builder, const Graph& model, const Placed& at_x, const Placed& at_b,
                                      Value target, Value seed, std::span<const Value> sources,
                                      const ModuleRule& module = nullptr);

// What the sweep does not want expanded: operations with an adjoint, activations, extrema.
bool kept_for_multipliers(const Op& op);

// g (y - y_b) / (x - x_b), or the tangent where x and x_b are too close to tell; exact: only where they are equal.
Value secant(Builder& b, Value g, Value y, Value y_b, Value x, Value x_b, Value tangent, bool exact);

// The rules of modules.
Value reveal_cancel(const ModuleRequest& request);

struct NeuronShapleyOptions {
  int64_t exact_inputs = 10;        // a neuron with at most that many inputs is computed over all subsets
  int64_t permutations = 16;        // otherwise that many, each with its reverse
  int64_t most = int64_t{1} << 27;  // evaluations of the neurons of one layer, per row
  uint64_t seed = 0;
};
struct NeuronShapleyCost {
  int64_t evaluations = 0;  // of the most expensive layer
  bool sampled = false;     // not all neurons were exact
};
// Where a layer costs more than allowed the derivative stands in: the caller looks at the cost and refuses.
ModuleRule neuron_shapley(NeuronShapleyOptions options, NeuronShapleyCost* cost);

}  // namespace ascribe::core
