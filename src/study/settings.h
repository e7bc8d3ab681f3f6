// Settings of methods and metrics that are chosen, [NAME.]KEY=VALUE.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "methods/parameters.h"

namespace ascribe::core::study {

// Something that has parameters, and what is given of them.
struct Configurable {
  std::string name;
  std::vector<Parameter> parameters;
  std::map<std::string, std::string> given = {};
};

// KEY=VALUE goes to all that have the parameter, NAME.KEY=VALUE to one. `field`: "set", `what`: "method", for
// complaints, which are of kind argument.
void apply_settings(const std::vector<std::string>& settings, std::vector<Configurable>& chosen, std::string_view field,
                    std::string_view what);

}  // namespace ascribe::core::study
