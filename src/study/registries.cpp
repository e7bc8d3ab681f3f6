#include "study/registries.h"

#include "onnx/lowering.h"

namespace ascribe::core {

namespace {

Json parameters_json(const std::vector<Parameter>& parameters) {
  Json list = Json::list();
  for (const Parameter& parameter : parameters) {
    Json json = Json::object({{"name", parameter.name},
                              {"kind", to_string(parameter.kind)},
                              {"default", parameter.fallback},
                              {"range", range_of(parameter)},
                              {"meaning", parameter.meaning}});
    for (const NamedValue& value : parameter.named) json["named"][value.name] = value.meaning;
    list.push(std::move(json));
  }
  return list;
}

}  // namespace

Json to_json(const Method& method) {
  Json json = Json::object({{"name", method.name},
                            {"title", method.title},
                            {"number", method.number},
                            {"formula", method.formula},
                            {"source", method.source},
                            {"about", method.about},
                            {"cost", method.cost},
                            {"use", method.use},
                            {"limits", method.limits},
                            {"kind", to_string(method.kind)},
                            {"explains", method.total == Total::change ? "change" : "output"},
                            {"baselines", method.baselines},
                            {"players", method.players}});
  for (const study::MethodProperty& property : study::method_properties()) {
    json[property.name] = method.*property.declared;
  }
  json["compiles"] = method.graph != nullptr;
  json["parameters"] = parameters_json(method.parameters);
  return json;
}

Json to_json(const Metric& metric) {
  return Json::object({{"name", metric.name},
                       {"title", metric.title},
                       {"category", to_string(metric.category)},
                       {"better", to_string(metric.better)},
                       {"formula", metric.formula},
                       {"source", metric.source},
                       {"about", metric.about},
                       {"cost", metric.cost},
                       {"limits", metric.limits},
                       {"rates_methods", metric.rates()},
                       {"slopes", metric.slopes},
                       {"images", metric.images},
                       {"objects", metric.objects},
                       {"parameters", parameters_json(metric.parameters)}});
}

Json to_json(const InteractionIndex& index) {
  return Json::object({{"name", index.name},
                       {"title", index.title},
                       {"formula", index.formula},
                       {"source", index.source},
                       {"least_order", index.least_order},
                       {"most_order", index.most_order},
                       {"efficient", index.efficient},
                       {"dummy", index.dummy},
                       {"influence", to_string(index.influence)},
                       {"joint", index.joint}});
}

namespace study {

const std::vector<MethodProperty>& method_properties() {
  static const std::vector<MethodProperty> properties = {
      {"complete", &Method::complete, "the values add up to what is explained"},
      {"dummy", &Method::dummy, "what the output does not depend on gets 0"},
      {"symmetric", &Method::symmetric, "what the model treats alike gets the same"},
      {"linear", &Method::linear, "the explanation of a sum is the sum of the explanations"},
  };
  return properties;
}

std::vector<const Op*> core_operations() {
  std::vector<const Op*> operations;
  for (const auto& [name, op] : OpRegistry::instance().entries()) {
    if (name != "opaque") operations.push_back(&op);
  }
  return operations;
}

Json operators_json() {
  Json onnx = Json::list(), core = Json::list();
  for (const auto& [name, lowering] : LoweringRegistry::instance().entries()) {
    Json attributes = Json::list();
    for (const KnownAttribute& known : lowering.attributes) {
      attributes.push(Json::object({{"name", known.name}, {"since", known.since}, {"until", known.until}}));
    }
    onnx.push(Json::object({{"name", name},
                            {"note", lowering.note},
                            {"version", lowering.version},
                            {"attributes", std::move(attributes)}}));
  }
  for (const Op* op : core_operations()) {
    core.push(Json::object({{"name", op->name}, {"class", to_string(op->op_class)}, {"formula", op->formula}}));
  }
  return Json::object({{"opset", kNewestOpset}, {"onnx", std::move(onnx)}, {"core", std::move(core)}});
}

}  // namespace study
}  // namespace ascribe::core
