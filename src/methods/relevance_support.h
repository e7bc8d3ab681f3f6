// What the back-propagation methods share: the frame's request, translated for the passes.
#pragma once

#include "methods/method.h"
#include "passes/multipliers.h"
#include "passes/relevance.h"

namespace ascribe::core {

// The relevance of the inputs by a method's rule set, the parameter `rules` taken in.
std::vector<Value> relevance_by(const AttributionRequest& r, RuleSet rules);

// The parameter that changes rules for some layers.
Parameter rules_parameter();

// DeepLIFT's contributions, multipliers times (x - b), on a network that is placed at the baselines once. Sets f(b).
class Contributions {
 public:
  explicit Contributions(const AttributionRequest& request);
  // One sweep. `module`: null, or the rule of modules.
  std::vector<Value> by(const ModuleRule& module = nullptr);
  // Says in a note which activations the last sweep left to Rescale for want of a layer before them.
  void note_activations_alone() const;

 private:
  const AttributionRequest& r_;
  std::vector<Value> sources_;
  Placed at_b_;
  std::vector<Value> alone_;
};

// What the methods over modules do with an input that does not change.
Parameter at_zero_parameter();
AtZero at_zero_of(const Parameters& parameters);

}  // namespace ascribe::core
