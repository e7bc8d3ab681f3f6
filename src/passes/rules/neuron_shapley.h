// Deep SHAP's rule of modules: every neuron shares its multiplier out by the Shapley values of its contributions.
#pragma once

#include <map>
#include <vector>

#include "passes/multipliers.h"

namespace ascribe::core {

struct NeuronShapleyOptions {
  int64_t exact_inputs = 10;        // a neuron with at most that many inputs is computed over all subsets
  int64_t permutations = 16;        // otherwise that many, each with its reverse
  int64_t groups = 1;               // of permutations, as equal as can be, each of which gives an estimate of its own
  int64_t most = int64_t{1} << 27;  // evaluations of the neurons of one layer, per row
  uint64_t seed = 0;
  AtZero at_zero = AtZero::limit;
};

// Draws once for each module: sweeps over the same network by different groups share them, and what they cost. Layers
// behind each other draw independently, so that what is composed of them has the right mean; by their depth alone, so
// that parts of a network draw as they do in the whole.
class NeuronShapley {
 public:
  explicit NeuronShapley(NeuronShapleyOptions options) : options_(options) {}

  // By all draws. Where a layer costs more than allowed the derivative stands in: look at the cost and refuse.
  ModuleRule rule();
  ModuleRule rule_of_group(int64_t group);

  int64_t evaluations() const { return evaluations_; }  // of the most expensive layer
  bool sampled() const { return sampled_; }             // not all neurons were exact
  std::vector<int64_t> group_sizes() const;

 private:
  // A layer with its neurons spread out: contributions [..., neurons, inputs], values of neurons [..., neurons, 1].
  struct Spread {
    Value contributions;  // dz_ij
    Value weights;        // w_ij, broadcasts to them
    std::function<Value(Value)> neurons;
    std::function<Value(Value)> inputs;  // [..., 1, inputs] back to the shape of x
  };
  // Of s between the points that a contribution leads from and to: phi_ij / dz_ij.
  struct Slopes {
    Spread spread;
    Value mean;                   // [..., neurons, inputs]
    std::vector<Value> by_group;  // alike; empty where all subsets were taken
  };

  Value shared_out(const ModuleRequest& request, int64_t group);
  const Slopes& slopes_of(const ModuleRequest& request, int64_t inputs);
  static Spread spread_dense(const ModuleRequest& request, Value change);
  static Spread spread_conv(const ModuleRequest& request, Value change);
  static Value over_subsets(const ModuleRequest& request, const Spread& spread, int64_t inputs);
  Value over_permutations(const ModuleRequest& request, const Spread& spread, int64_t inputs, int64_t first,
                          int64_t count) const;

  NeuronShapleyOptions options_;
  std::map<std::pair<Value, Value>, Slopes> kept_;  // by layer and activation
  int64_t evaluations_ = 0;
  bool sampled_ = false;
};

}  // namespace ascribe::core
