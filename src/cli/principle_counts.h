// The three principles of methods, measured in general: by the method and by its rule.
#pragma once

#include <vector>

#include "cli/method_choice.h"
#include "theory/principles.h"

namespace ascribe::core {

struct MethodPrinciples {
  const Method& method;
  PrincipleFigures by_method, by_rule;
};

std::vector<MethodPrinciples> measured_principles(const std::vector<ChosenMethod>& methods);

}  // namespace ascribe::core
