#include "api/translate.h"
#include "methods/method.h"

namespace ascribe {

namespace {

v1::MethodInfo info_of(const Method& method) {
  v1::MethodInfo info;
  info.name = method.name;
  info.title = method.title;
  info.number = method.number;
  info.formula = method.formula;
  info.source = method.source;
  info.about = method.about;
  info.cost = method.cost;
  info.use = method.use;
  info.limits = method.limits;
  info.contributions = method.kind == AttributionKind::contribution;
  info.explains_change = method.total == Total::change;
  info.uses_baselines = method.baselines;
  info.masks_players = method.players;
  info.complete = method.complete;
  info.dummy = method.dummy;
  info.symmetric = method.symmetric;
  info.linear = method.linear;
  info.compiles = method.graph != nullptr;
  for (const Parameter& parameter : method.parameters) {
    info.parameters.push_back({parameter.name, parameter.fallback, range_of(parameter), parameter.meaning});
  }
  return info;
}

}  // namespace

std::vector<v1::MethodInfo> v1::methods() {
  std::vector<MethodInfo> list;
  for (const std::string& name : method_names()) list.push_back(info_of(method_named(name)));
  return list;
}

}  // namespace ascribe
