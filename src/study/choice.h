// The methods and metrics that a request names, with their parameters: all checked before any work.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "methods/method.h"
#include "metrics/metric.h"

namespace ascribe::core::study {

// A method by its name ("all": the paper's fourteen), or one of the caller's own (methods/foreign.h).
struct MethodWish {
  MethodWish(std::string wanted) : name(std::move(wanted)) {}
  MethodWish(const char* wanted) : name(wanted) {}
  MethodWish(std::shared_ptr<const Method> method) : name(method->name), own(std::move(method)) {}

  std::string name;
  std::shared_ptr<const Method> own;
};

struct ChosenMethod {
  const Method& method;
  std::map<std::string, std::string> given;  // by the request
  Parameters parameters;
  bool asked_for = true;                        // false: part of "all", so it may be left out where it cannot be run
  std::shared_ptr<const Method> own = nullptr;  // keeps a method of the caller's
};

// `settings`: KEY=VALUE goes to every method that has the parameter, METHOD.KEY=VALUE to one.
std::vector<ChosenMethod> choose_methods(const std::vector<MethodWish>& wishes,
                                         const std::vector<std::string>& settings);

struct ChosenMetric {
  const Metric& metric;
  std::map<std::string, std::string> given;
  Parameters parameters;
  bool asked_for = true;  // false: part of "all"
};

// Likewise, with "all" for every metric there is.
std::vector<ChosenMetric> choose_metrics(const std::vector<std::string>& names,
                                         const std::vector<std::string>& settings);

// Whether what went wrong may only mean that the model does not suit a method, which nobody asked for by name.
bool may_be_left_out(const ChosenMethod& chosen, ErrorKind kind);

// A method that was not run, and why.
struct LeftOut {
  std::string method;
  std::string reason;
};

// {name, reason}
Json to_json(const LeftOut& left_out);

}  // namespace ascribe::core::study
