#include "cli/method_choice.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace ascribe {

namespace {

constexpr std::string_view kWhere = "--set";

struct Wanted {
  const Method* method;
  bool asked_for;
  std::map<std::string, std::string> given = {};
};

bool has_parameter(const Method& method, const std::string& name) {
  return std::any_of(method.parameters.begin(), method.parameters.end(),
                     [&](const Parameter& parameter) { return parameter.name == name; });
}

std::vector<Wanted> wanted_methods(const std::vector<std::string>& names) {
  std::vector<Wanted> wanted;
  const auto add = [&](const Method& method, bool asked_for) {
    const auto known = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& w) { return w.method == &method; });
    if (known == wanted.end()) wanted.push_back({&method, asked_for});
    else known->asked_for = known->asked_for || asked_for;
  };
  for (const std::string& name : names) {
    if (name != "all") {
      add(method_named(name), true);
      continue;
    }
    for (const std::string& known : method_names()) {
      if (method_named(known).number > 0) add(method_named(known), false);
    }
  }
  return wanted;
}

// "epsilon (lrp_epsilon), steps (integrated_gradients, expected_gradients)"
std::string known_parameters(const std::vector<Wanted>& wanted) {
  std::map<std::string, std::vector<std::string>> methods;
  for (const Wanted& one : wanted) {
    for (const Parameter& parameter : one.method->parameters) methods[parameter.name].push_back(one.method->name);
  }
  std::vector<std::string> texts;
  for (const auto& [name, users] : methods) texts.push_back(fmt::format("{} ({})", name, fmt::join(users, ", ")));
  return texts.empty() ? "nothing, they have no parameters" : fmt::format("one of {}", fmt::join(texts, ", "));
}

void apply(const std::string& setting, std::vector<Wanted>& wanted) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail(ErrorKind::argument, kWhere, "got '{}'; expected KEY=VALUE or METHOD.KEY=VALUE", setting);
  }
  std::string key = setting.substr(0, equals), method;
  const std::string value = setting.substr(equals + 1);
  if (const size_t dot = key.find('.'); dot != std::string::npos) {
    method = key.substr(0, dot);
    key = key.substr(dot + 1);
  }
  bool found = false, chosen = false;
  for (Wanted& one : wanted) {
    if (!method.empty() && one.method->name != method) continue;
    chosen = true;
    if (!has_parameter(*one.method, key)) continue;
    one.given[key] = value;
    found = true;
  }
  if (found) return;
  if (!chosen) fail(ErrorKind::argument, kWhere, "'{}' is for the method '{}', which is not chosen", setting, method);
  fail(ErrorKind::argument, kWhere, "there is no parameter '{}'; expected {}", key, known_parameters(wanted));
}

}  // namespace

std::vector<ChosenMethod> choose_methods(const std::vector<std::string>& names,
                                         const std::vector<std::string>& settings) {
  std::vector<Wanted> wanted = wanted_methods(names);
  for (const std::string& setting : settings) apply(setting, wanted);
  std::vector<ChosenMethod> chosen;
  for (const Wanted& one : wanted) {
    const Method& method = *one.method;
    chosen.push_back({method, one.given, Parameters(method.name, method.parameters, one.given), one.asked_for});
  }
  return chosen;
}

bool may_be_left_out(const ChosenMethod& chosen, ErrorKind kind) {
  if (chosen.asked_for) return false;
  return kind == ErrorKind::unsupported || kind == ErrorKind::numeric ||
         (kind == ErrorKind::argument && chosen.given.empty());
}

}  // namespace ascribe
