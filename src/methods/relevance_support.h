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

// Multipliers times (x - b), DeepLIFT's contributions. Sets f(b).
std::vector<Value> contributions_by(const AttributionRequest& r, const ModuleRule& module = nullptr);

}  // namespace ascribe::core
