#include "methods/relevance_support.h"

#include <array>

#include <fmt/ranges.h>

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
  return append_relevance(r.b, r.model, r.at_x, r.model.outputs[0].value, r.seed, sources_of(r), rules, r.trace);
}

Parameter rules_parameter() {
  Parameter parameter = text_parameter("rules", "",
                                       "other rules for some layers: LAYER:RULE;LAYER:RULE, e.g. "
                                       "first:z_box(low=0,high=1);conv:gamma(gamma=0.25), or a named set");
  for (const NamedRuleSet& set : named_rule_sets()) {
    parameter.named.push_back({set.name, fmt::format("{}. Conserves {}", set.meaning, set.conserves)});
  }
  return parameter;
}

Contributions::Contributions(const AttributionRequest& request) : r_(request), sources_(sources_of(request)) {
  const Value target = r_.model.outputs[0].value;
  std::vector<Value> at_reference;
  for (const Port& port : r_.model.inputs) at_reference.push_back(r_.at_x(port.value));
  for (size_t i = 0; i < sources_.size(); ++i) {
    for (size_t p = 0; p < r_.model.inputs.size(); ++p) {
      if (r_.model.inputs[p].value == sources_[i]) at_reference[p] = r_.baselines[i];
    }
  }
  at_b_ = append_copy(r_.b, r_.model, at_reference, std::array{target}, r_.rows_per_input);
  r_.baseline_output = row_sums(r_.b, r_.b.mul(r_.seed, at_b_(target)));
}

std::vector<Value> Contributions::by(const ModuleRule& module) {
  Builder& b = r_.b;
  alone_.clear();
  std::vector<Value> multipliers =
      append_multipliers(b, r_.model, r_.at_x, at_b_, r_.model.outputs[0].value, r_.seed, sources_, module, &alone_,
                         r_.trace != nullptr && r_.trace->empty() ? r_.trace : nullptr);  // of the first sweep
  for (size_t i = 0; i < multipliers.size(); ++i) {
    multipliers[i] = b.mul(multipliers[i], b.sub(r_.inputs[i], r_.baselines[i]));
  }
  return multipliers;
}

void Contributions::note_activations_alone() const {
  constexpr size_t kNamed = 4;
  if (alone_.empty()) return;
  std::vector<std::string> names;  // in the order of the network
  for (auto value = alone_.rbegin(); value != alone_.rend() && names.size() < kNamed; ++value) {
    names.push_back(describe(r_.model[*value]));
  }
  const std::string more = alone_.size() > kNamed ? fmt::format(" and {} more", alone_.size() - kNamed) : std::string();
  r_.notes.push_back(fmt::format("{} {} no layer directly before {}, so Rescale is used there: {}{}", alone_.size(),
                                 alone_.size() == 1 ? "activation has" : "activations have",
                                 alone_.size() == 1 ? "it" : "them", fmt::join(names, ", "), more));
}

Parameter at_zero_parameter() {
  return text_parameter("at_zero", "limit",
                        "what a hidden value that does not change passes on: what it would if it changed ever less "
                        "(limit), or by the activation's derivative at x",
                        {"limit", "derivative"});
}

AtZero at_zero_of(const Parameters& parameters) {
  return parameters.text("at_zero") == "limit" ? AtZero::limit : AtZero::derivative;
}

}  // namespace ascribe::core
