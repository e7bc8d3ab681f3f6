#include "graph/scatter.h"

#include <cstring>
#include <optional>

namespace ascribe::core {

namespace {

std::optional<ScatterRule> rule_named(std::string_view name) {
  if (name == "none") return ScatterRule::none;
  if (name == "add") return ScatterRule::add;
  if (name == "mul") return ScatterRule::mul;
  if (name == "min") return ScatterRule::min;
  if (name == "max") return ScatterRule::max;
  return std::nullopt;
}

}  // namespace

void expect_scatter(const Signature& s) {
  const std::string& name = s.attributes.text("reduction");
  const auto rule = rule_named(name);
  if (!rule) s.refuse("the reduction is unknown; got '{}'; expected none, add, mul, min or max", name);
  if (*rule != ScatterRule::none) expect_number(s, 0);
  expect_kind(s, 1, Kind::integer);
  expect_kind(s, 2, s.inputs[0].kind);
}

void copy_operand(const Evaluation& e) {
  if (e.output.size() == 0) return;
  std::memcpy(e.output.memory, e.inputs[0].memory, e.output.size() * size_of(e.output.dtype));
}

ScatterRule scatter_rule(const Attributes& attributes) {
  const auto rule = rule_named(attributes.text("reduction"));
  require(rule.has_value(), "scatter", "unknown reduction");
  return *rule;
}

std::string scatter_refusal(const Attributes& attributes) {
  const ScatterRule rule = scatter_rule(attributes);
  if (rule == ScatterRule::none || rule == ScatterRule::add) return "";
  return fmt::format("scattering with the reduction '{}' is not differentiable here; expected none or add",
                     attributes.text("reduction"));
}

}  // namespace ascribe::core
