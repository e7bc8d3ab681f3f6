#include "study/layers.h"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "methods/compile.h"
#include "methods/layers.h"
#include "methods/method.h"
#include "passes/cut.h"
#include "passes/differentiable.h"
#include "passes/expand_composites.h"
#include "passes/modules.h"
#include "passes/rules/rule_set.h"
#include "study/ports.h"

namespace ascribe::core::study {

namespace {

// What moves: the real inputs; of token ids, what they are looked up as.
std::vector<Value> sources_of(const Graph& graph) {
  std::vector<Value> sources;
  for (const Port& port : graph.inputs) {
    if (graph[port.value].type.kind == Kind::real) sources.push_back(port.value);
  }
  for (size_t i = 0; sources.empty() && i < graph.inputs.size(); ++i) {
    for (const Embedding& embedding : embeddings_of(graph, i)) sources.push_back(embedding.value);
  }
  return sources;
}

// A rule as settings spell it.
std::string spelled(const RuleUse& use) {
  std::vector<std::string> values;
  for (const auto& [name, value] : use.values) values.push_back(fmt::format("{}={:g}", name, value));
  return values.empty() ? use.rule->name : fmt::format("{}({})", use.rule->name, fmt::join(values, ","));
}

// The parameters of a method that the rule has too.
RuleUse usual_rule(const char* method, const char* rule) {
  RuleUse use = parse_rule(rule);
  for (const Parameter& parameter : method_named(method).parameters) {
    const auto value = use.values.find(parameter.name);
    if (value != use.values.end())
      value->second = Parameters(method, method_named(method).parameters, {}).real(parameter.name);
  }
  return use;
}

std::map<std::string, std::string> usual_rules() {
  std::map<std::string, std::string> rules;
  for (const auto& [method, rule] :
       {std::pair("lrp_epsilon", "epsilon"), {"lrp_alpha_beta", "alpha_beta"}, {"deep_taylor", "z_plus"}}) {
    rules[method] = spelled(usual_rule(method, rule));
  }
  return rules;
}

// Operations between layers that rule sets have a word for; empty: none (passes/relevance.cpp).
std::string kind_between(const Node& node, const std::vector<bool>& moved) {
  const auto moving = std::count_if(node.inputs.begin(), node.inputs.end(),
                                    [&](Value v) { return moved[static_cast<size_t>(v.index)]; });
  const std::string& op = node.op->name;
  if (op == "softmax") return op;
  if (op == "add" || op == "sub") return moving > 1 ? "add" : "";
  if (node.op->op_class == OpClass::bilinear && op != "resample") return moving > 1 ? "product" : "";
  if (traits_of(node).moves || node.op->op_class == OpClass::selection) return "";
  const bool spreads = node.op->op_class == OpClass::linear || op == "resample";
  return spreads && !is_identity_in_derivatives(*node.op) ? "pool" : "";
}

// A place in the list, and whether something can be said of it at all.
struct Named {
  std::vector<LayerInfo> list;
  std::map<std::string, size_t> places;

  LayerInfo& at(const Graph& graph, Value value, const std::string& name) {
    const auto known = places.find(name);
    if (known != places.end() && !name.empty()) return list[known->second];
    if (!name.empty()) places[name] = list.size();
    list.push_back({name, graph[value].op->name, graph[value].type.shape});
    return list.back();
  }
};

}  // namespace

std::vector<LayerInfo> layers_of(const Graph& model) {
  // As the methods of relevance see it: without a final softmax, composites expanded.
  std::vector<std::string> ignored;
  Graph graph = with_explained(model, {}, ignored);
  const auto keeps = method_named("lrp_epsilon").keeps;
  graph = keeps != nullptr ? expand_composites(graph, keeps).graph : expand_composites(graph, true).graph;
  const std::vector<bool> moved = moved_by(graph, sources_of(graph));
  const std::vector<Layer> weighted = find_layers(graph, moved, graph.outputs.back().value);
  const std::vector<std::string> maps = map_layer_names(model), entrances = enterable_nodes(model);
  const std::set<std::string> has_map(maps.begin(), maps.end()), enters(entrances.begin(), entrances.end());
  std::string usual;
  try {
    usual = map_layer(model, "", "layers").name;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;  // there is none
  }
  const std::map<std::string, std::string> rules = usual_rules();
  Named named;
  size_t next = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Value value{static_cast<int32_t>(i)};
    const Node& node = graph.nodes[i];
    if (node.op->op_class == OpClass::source) continue;
    if (next < weighted.size() && weighted[next].linear == value) {
      LayerInfo& layer = named.at(graph, value, weighted[next].name);
      layer.kind = to_string(weighted[next].kind);
      layer.number = static_cast<int64_t>(next++);
      layer.rules = rules;
    } else if (!node.name.empty() && node.type.kind == Kind::real && moved[i]) {
      LayerInfo& layer = named.at(graph, value, node.name);
      if (layer.kind.empty()) layer.kind = kind_between(node, moved);
      if (layer.number) continue;  // its own bias or activation
      layer.operation = node.op->name;
      layer.shape = node.type.shape;
    }
  }
  for (LayerInfo& layer : named.list) {
    layer.has_map = has_map.contains(layer.name);
    layer.enters = enters.contains(layer.name);
    layer.usual_map = layer.has_map && layer.name == usual;
  }
  std::erase_if(named.list, [](const LayerInfo& layer) { return layer.name.empty() && !layer.number; });
  return named.list;
}

Json to_json(const LayerInfo& layer) {
  Json json = Json::object({{"name", layer.name}, {"operation", layer.operation}});
  json["shape"] = to_json(PortInfo{layer.name, "", layer.shape})["shape"];
  json["grad_cam"] = layer.has_map;
  json["usual_grad_cam"] = layer.usual_map;
  json["enters"] = layer.enters;
  if (!layer.kind.empty()) json["kind"] = layer.kind;
  if (layer.number) json["number"] = *layer.number;
  if (!layer.rules.empty()) json["rules"] = layer.rules;
  return json;
}

}  // namespace ascribe::core::study
