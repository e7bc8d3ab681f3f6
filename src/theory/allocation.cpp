#include "theory/allocation.h"

#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include "base/closest_name.h"

namespace ascribe::core {

std::string_view to_string(AllocationLevel level) {
  switch (level) {
    case AllocationLevel::baseline: return "baseline";
    case AllocationLevel::point: return "point";
    case AllocationLevel::layer: return "layer";
    case AllocationLevel::module: return "module";
  }
  return "";
}

RegisterAllocation::RegisterAllocation(AllocationRule rule) {
  std::string name = rule.method;
  require(!name.empty() && rule.weight, name, "an allocation rule needs the name of a method and a function");
  AllocationRegistry::instance().add(std::move(name), std::move(rule));
}

std::vector<std::string> allocation_names() {
  std::vector<const AllocationRule*> rules;
  for (const auto& [name, rule] : AllocationRegistry::instance().entries()) rules.push_back(&rule);
  std::stable_sort(rules.begin(), rules.end(), [](auto a, auto b) { return a->theorem < b->theorem; });
  std::vector<std::string> names;
  for (const AllocationRule* rule : rules) names.push_back(rule->method);
  return names;
}

const AllocationRule& allocation_rule(std::string_view name) {
  if (const AllocationRule* rule = AllocationRegistry::instance().find(name)) return *rule;
  fail(ErrorKind::unsupported, name, "there is no allocation rule for this method; {}",
       expected_one_of(name, allocation_names()));
}

std::vector<double> weights(const AllocationRule& rule, const AllocationContext& context, std::span<const int> degree) {
  std::vector<double> of_players(degree.size());
  for (size_t i = 0; i < degree.size(); ++i) of_players[i] = rule.weight(context, static_cast<int>(i), degree);
  return of_players;
}

namespace {

void check_support_only(const AllocationRule& rule) {
  require(rule.depends_on_support_only, rule.method, "dividends do not determine what a rule by degrees allocates");
}

void add_share(std::vector<double>& values, const std::vector<double>& of_players, double effect) {
  for (size_t i = 0; i < values.size(); ++i) values[i] += of_players[i] * effect;
}

}  // namespace

std::vector<double> allocate(const AllocationRule& rule, const AllocationContext& context, const Effects& effects) {
  std::vector<double> values(static_cast<size_t>(effects.players), 0.0);
  std::vector<int> degree(values.size());
  for (const Effect& effect : effects.effects) {
    if (effect.degree.empty()) check_support_only(rule);
    std::fill(degree.begin(), degree.end(), 0);
    for (size_t k = 0; k < effect.support.size(); ++k) {
      degree[static_cast<size_t>(effect.support[k])] = effect.degree.empty() ? 1 : effect.degree[k];
    }
    add_share(values, weights(rule, context, degree), effect.value);
  }
  return values;
}

std::vector<double> allocate(const AllocationRule& rule, const AllocationContext& context, const Dividends& dividends) {
  check_support_only(rule);
  std::vector<double> values(static_cast<size_t>(dividends.players), 0.0);
  std::vector<int> degree(values.size());
  for (size_t set = 1; set < dividends.values.size(); ++set) {
    for (size_t i = 0; i < degree.size(); ++i) degree[i] = static_cast<int>(set >> i & 1);
    add_share(values, weights(rule, context, degree), dividends.values[set]);
  }
  return values;
}

int total_degree(std::span<const int> degree) { return std::accumulate(degree.begin(), degree.end(), 0); }

int support_size(std::span<const int> degree) {
  return static_cast<int>(std::count_if(degree.begin(), degree.end(), [](int k) { return k > 0; }));
}

}  // namespace ascribe::core
