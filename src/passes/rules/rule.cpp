#include "passes/rules/rule.h"

#include <cmath>
#include <set>

#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/closest_name.h"

namespace ascribe::core {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> names_of(const std::vector<RuleParameter>& parameters) {
  std::vector<std::string> names;
  for (const RuleParameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const auto& [name, rule] : RuleRegistry::instance().entries()) names.push_back(name);
  return names;
}

double number(std::string_view text, const RuleParameter& parameter, const std::string& rule) {
  const std::optional<double> value = ascii_number(text);
  if (!value || !(*value >= parameter.least && *value <= parameter.most)) {
    fail(ErrorKind::argument, "rules", "{} of rule {} is '{}'; expected a number from {} to {}", parameter.name, rule,
         text, parameter.least, parameter.most);
  }
  return *value;
}

void set_parameter(RuleUse& use, std::string_view text) {
  const size_t equals = text.find('=');
  const std::string_view name = trimmed(text.substr(0, equals));
  for (const RuleParameter& parameter : use.rule->parameters) {
    if (equals == std::string_view::npos || parameter.name != name) continue;
    use.values[parameter.name] = number(trimmed(text.substr(equals + 1)), parameter, use.rule->name);
    return;
  }
  fail(ErrorKind::argument, "rules", "rule {} has no parameter '{}'; expected NAME=VALUE with one of [{}]",
       use.rule->name, text, fmt::join(names_of(use.rule->parameters), ", "));
}

}  // namespace

Value plain(Builder& b, const Relevance& relevance) {
  return relevance.factor.valid() ? b.mul(relevance.amount, relevance.factor) : relevance.amount;
}

Value share(Builder& b, const Relevance& relevance, Value z, Stabiliser stabiliser, double scale) {
  if (relevance.factor == z && stabiliser.guarded && stabiliser.epsilon == 0) {
    return scale == 1 ? relevance.amount : b.mul(relevance.amount, scale);
  }
  std::vector<Value> operands = {relevance.amount, z};
  if (relevance.factor.valid()) operands.push_back(relevance.factor);
  return b.op("share", std::move(operands),
              {{"scale", reals({scale})},
               {"epsilon", reals({stabiliser.epsilon})},
               {"guarded", ints({stabiliser.guarded ? 1 : 0})}});
}

bool RuleRequest::only_active() const {
  const Graph& graph = map.b().graph();
  return relevance.factor.valid() && graph.is(relevance.factor, "relu") && graph[relevance.factor].inputs[0] == z;
}

RegisterRule::RegisterRule(Rule rule) {
  std::string name = rule.name;
  require(!name.empty() && rule.apply != nullptr, name, "a rule needs a name and a function");
  std::set<std::string_view> declared;
  for (const RuleParameter& parameter : rule.parameters) {
    require(declared.insert(parameter.name).second, name, "a parameter is declared twice");
  }
  RuleRegistry::instance().add(std::move(name), std::move(rule));
}

RuleUse parse_rule(std::string_view text) {
  text = trimmed(text);
  const size_t open = text.find('(');
  const std::string name(trimmed(text.substr(0, open)));
  RuleUse use{RuleRegistry::instance().find(name), {}};
  if (use.rule == nullptr) {
    fail(ErrorKind::argument, "rules", "there is no rule '{}'; {}", name, expected_one_of(name, rule_names()));
  }
  for (const RuleParameter& parameter : use.rule->parameters) use.values[parameter.name] = parameter.fallback;
  if (open == std::string_view::npos) return use;
  if (text.back() != ')') fail(ErrorKind::argument, "rules", "a ')' is missing; got '{}'", text);
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!trimmed(rest).empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    set_parameter(use, trimmed(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return use;
}

}  // namespace ascribe::core
