#include "methods/relevance_support.h"

#include <array>

namespace ascribe::core {

namespace {

// The inputs as values of the model.
std::vector<Value> sources_of(const AttributionRequest& r) {
  std::vector<Value> sources;
  for (const Value input : r.inputs) {
    for (const Port& port : r.model.inputs) {
      if (r.at_x(port.value) == input) sources.push_back(port.value);
    }
  }
  require(sources.size() == r.inputs.size(), r.b.where(), "an input of the request is not one of the model's");
  return sources;
}

// The sum over each row.
Value row_sums(Builder& b, Value x) {
  std::vector<int64_t> axes;
  for (int64_t axis = 1; axis < b.rank(x); ++axis) axes.push_back(axis);
  return axes.empty() ? x : b.reduce("reduce_sum", x, axes, false);
}

}  // namespace

std::vector<Value> relevance_by(const AttributionRequest& r, RuleSet rules) {
  rules.add(r.parameters.text("rules"));
  return append_relevance(r.b, r.model, r.at_x, r.model.outputs[0].value, r.seed, sources_of(r), rules);
}

Parameter rules_parameter() {
  std::string sets;
  for (const NamedRuleSet& set : named_rule_sets()) sets += (sets.empty() ? "" : ", ") + set.name;
  return text_parameter("rules", "",
                        "other rules for some layers: LAYER:RULE;LAYER:RULE, e.g. "
                        "first:z_box(low=0,high=1);conv:gamma(gamma=0.25), or a named set: " +
                            sets);
}

std::vector<Value> contributions_by(const AttributionRequest& r, const ModuleRule& module) {
  Builder& b = r.b;
  const Value target = r.model.outputs[0].value;
  const std::vector<Value> sources = sources_of(r);
  std::vector<Value> at_reference;
  for (const Port& port : r.model.inputs) at_reference.push_back(r.at_x(port.value));
  for (size_t i = 0; i < sources.size(); ++i) {
    for (size_t p = 0; p < r.model.inputs.size(); ++p) {
      if (r.model.inputs[p].value == sources[i]) at_reference[p] = r.baselines[i];
    }
  }
  const Placed at_b = append_copy(b, r.model, at_reference, std::array{target}, r.rows_per_input);
  std::vector<Value> multipliers = append_multipliers(b, r.model, r.at_x, at_b, target, r.seed, sources, module);
  for (size_t i = 0; i < multipliers.size(); ++i) {
    multipliers[i] = b.mul(multipliers[i], b.sub(r.inputs[i], r.baselines[i]));
  }
  r.baseline_output = row_sums(b, b.mul(r.seed, at_b(target)));
  return multipliers;
}

}  // namespace ascribe::core
