#include "study/settings.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "base/error.h"

namespace ascribe::core::study {

namespace {

bool has_parameter(const Configurable& one, const std::string& name) {
  return std::any_of(one.parameters.begin(), one.parameters.end(),
                     [&](const Parameter& parameter) { return parameter.name == name; });
}

// "epsilon (lrp_epsilon), steps (integrated_gradients, expected_gradients)"
std::string known_parameters(const std::vector<Configurable>& chosen) {
  std::map<std::string, std::vector<std::string>> users;
  for (const Configurable& one : chosen) {
    for (const Parameter& parameter : one.parameters) users[parameter.name].push_back(one.name);
  }
  std::vector<std::string> texts;
  for (const auto& [name, names] : users) texts.push_back(fmt::format("{} ({})", name, fmt::join(names, ", ")));
  return texts.empty() ? "nothing, they have no parameters" : fmt::format("one of {}", fmt::join(texts, ", "));
}

void apply(const std::string& setting, std::vector<Configurable>& chosen, std::string_view field,
           std::string_view what) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail(ErrorKind::argument, field, "got '{}'; expected KEY=VALUE or NAME.KEY=VALUE, with the name of a {}", setting,
         what);
  }
  std::string key = setting.substr(0, equals), name;
  const std::string value = setting.substr(equals + 1);
  if (const size_t dot = key.find('.'); dot != std::string::npos) {
    name = key.substr(0, dot);
    key = key.substr(dot + 1);
  }
  bool found = false, named = false;
  for (Configurable& one : chosen) {
    if (!name.empty() && one.name != name) continue;
    named = true;
    if (!has_parameter(one, key)) continue;
    one.given[key] = value;
    found = true;
  }
  if (found) return;
  if (!named) {
    std::vector<std::string> names;
    for (const Configurable& one : chosen) names.push_back(one.name);
    const std::string nearest = closest_name(name, names);
    fail(ErrorKind::argument, field, "'{}' is for the {} '{}', which is not chosen{}", setting, what, name,
         nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
  }
  std::vector<std::string> keys;
  for (const Configurable& one : chosen) {
    for (const Parameter& parameter : one.parameters) keys.push_back(parameter.name);
  }
  fail(ErrorKind::argument, field, "there is no parameter '{}'; {}", key,
       expected(known_parameters(chosen), key, keys));
}

}  // namespace

void apply_settings(const std::vector<std::string>& settings, std::vector<Configurable>& chosen, std::string_view field,
                    std::string_view what) {
  for (const std::string& setting : settings) apply(setting, chosen, field, what);
}

}  // namespace ascribe::core::study
