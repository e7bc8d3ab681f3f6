#include "methods/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/ranges.h>

#include "base/closest_name.h"
#include "base/error.h"

namespace ascribe::core {

namespace {

template <class T>
std::optional<T> number(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool in_range(const Parameter& parameter, double value) {
  return std::isfinite(value) && value >= parameter.least && value <= parameter.most;
}

bool acceptable(const Parameter& parameter, const std::string& text) {
  switch (parameter.kind) {
    case Parameter::Kind::integer: {
      const auto value = number<int64_t>(text);
      return value && in_range(parameter, static_cast<double>(*value));
    }
    case Parameter::Kind::real: {
      const auto value = number<double>(text);
      return value && in_range(parameter, *value);
    }
    case Parameter::Kind::text: break;
  }
  const auto& choices = parameter.choices;
  return choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end();
}

const Parameter& declared_as(std::string_view where, std::span<const Parameter> declared, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : declared) {
    if (parameter.name == name) return parameter;
    names.push_back(parameter.name);
  }
  if (names.empty()) fail(ErrorKind::argument, where, "has no parameters; got '{}'", name);
  fail(ErrorKind::argument, where, "has no parameter '{}'; {}", name, expected_one_of(name, names));
}

}  // namespace

std::string_view to_string(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::integer: return "integer";
    case Parameter::Kind::real: return "number";
    case Parameter::Kind::text: return "text";
  }
  return "?";
}

std::string range_of(const Parameter& parameter) {
  if (!parameter.choices.empty()) return fmt::format("{}", fmt::join(parameter.choices, ", "));
  if (parameter.kind == Parameter::Kind::text) return "any text";
  const bool below = std::isfinite(parameter.least), above = std::isfinite(parameter.most);
  const std::string_view what = parameter.kind == Parameter::Kind::integer ? "an integer" : "a number";
  if (below && above) return fmt::format("{} from {} to {}", what, parameter.least, parameter.most);
  if (below) return fmt::format("{} of at least {}", what, parameter.least);
  if (above) return fmt::format("{} of at most {}", what, parameter.most);
  return std::string(what);
}

Parameter integer_parameter(std::string name, int64_t fallback, int64_t least, int64_t most, std::string meaning) {
  return {std::move(name),    Parameter::Kind::integer,   std::to_string(fallback),
          std::move(meaning), static_cast<double>(least), static_cast<double>(most)};
}

Parameter real_parameter(std::string name, double fallback, double least, double most, std::string meaning) {
  return {std::move(name), Parameter::Kind::real, fmt::format("{}", fallback), std::move(meaning), least, most};
}

Parameter text_parameter(std::string name, std::string fallback, std::string meaning,
                         std::vector<std::string> choices) {
  Parameter parameter{std::move(name), Parameter::Kind::text, std::move(fallback), std::move(meaning)};
  parameter.choices = std::move(choices);
  return parameter;
}

Parameters::Parameters(std::string_view where, std::span<const Parameter> declared,
                       const std::map<std::string, std::string>& given) {
  for (const Parameter& parameter : declared) {
    require(!parameter.name.empty(), where, "a parameter has no name");
    const bool first = values_.emplace(parameter.name, parameter.fallback).second;
    if (!first) fail(ErrorKind::internal, where, "the parameter {} is declared twice", parameter.name);
  }
  for (const auto& [name, text] : given) {
    const Parameter& parameter = declared_as(where, declared, name);
    if (!acceptable(parameter, text)) {
      fail(ErrorKind::argument, where, "{} = '{}' is not possible; expected {}", name, text, range_of(parameter));
    }
    values_[name] = text;
  }
}

int64_t Parameters::integer(std::string_view name) const { return *number<int64_t>(text(name)); }

double Parameters::real(std::string_view name) const { return *number<double>(text(name)); }

const std::string& Parameters::text(std::string_view name) const {
  const auto found = values_.find(name);
  require(found != values_.end(), name, "the method does not declare this parameter");
  return found->second;
}

std::string Parameters::key() const {
  std::vector<std::string> parts;
  for (const auto& [name, text] : values_) parts.push_back(name + "=" + text);
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace ascribe::core
