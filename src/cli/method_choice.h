// The methods and metrics that a command line names, with their parameters: all checked before any work.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "methods/method.h"
#include "metrics/metric.h"

namespace ascribe::core {

struct ChosenMethod {
  const Method& method;
  std::map<std::string, std::string> given;  // by --set
  Parameters parameters;
  bool asked_for = true;  // false: part of "all", so it may be left out where it cannot be run
};

// `names`: of methods, or "all", the paper's fourteen. `settings`: KEY=VALUE goes to every method that has the
// parameter, METHOD.KEY=VALUE to one.
std::vector<ChosenMethod> choose_methods(const std::vector<std::string>& names,
                                         const std::vector<std::string>& settings);

struct ChosenMetric {
  const Metric& metric;
  std::map<std::string, std::string> given;  // by --metric-set
  Parameters parameters;
  bool asked_for = true;  // false: part of "all"
};

// Likewise, with "all" for every metric there is.
std::vector<ChosenMetric> choose_metrics(const std::vector<std::string>& names,
                                         const std::vector<std::string>& settings);

// Whether what went wrong may only mean that the model does not suit a method, which nobody asked for by name.
bool may_be_left_out(const ChosenMethod& chosen, ErrorKind kind);

}  // namespace ascribe::core
