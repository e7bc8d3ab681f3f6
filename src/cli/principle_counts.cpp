#include "cli/principle_counts.h"

#include "theory/probes.h"

namespace ascribe::core {

std::vector<MethodPrinciples> measured_principles(const std::vector<ChosenMethod>& methods) {
  std::vector<MethodPrinciples> all;
  for (const ChosenMethod& chosen : methods) {
    const ProbeSubject subject{chosen.method, chosen.parameters, allocation_rule(chosen.method.name)};
    all.push_back({chosen.method, principles_of(ask_method(subject)), principles_of(ask_rule(subject))});
  }
  return all;
}

}  // namespace ascribe::core
