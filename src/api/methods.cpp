#include "api/translate.h"
#include "methods/method.h"

namespace ascribe {

namespace {

MethodInfo info_of(const core::Method& method) {
  MethodInfo info;
  info.name = method.name;
  info.title = method.title;
  info.number = method.number;
  info.formula = method.formula;
  info.source = method.source;
  info.about = method.about;
  info.cost = method.cost;
  info.use = method.use;
  info.limits = method.limits;
  info.contributions = method.kind == core::AttributionKind::contribution;
  info.explains_change = method.total == core::Total::change;
  info.uses_baselines = method.baselines;
  info.masks_players = method.players;
  info.complete = method.complete;
  info.dummy = method.dummy;
  info.symmetric = method.symmetric;
  info.linear = method.linear;
  info.compiles = method.graph != nullptr;
  for (const core::Parameter& parameter : method.parameters) {
    info.parameters.push_back({parameter.name, parameter.fallback, range_of(parameter), parameter.meaning});
  }
  return info;
}

}  // namespace

std::vector<MethodInfo> v1::methods() {
  std::vector<MethodInfo> list;
  for (const std::string& name : core::method_names()) list.push_back(info_of(core::method_named(name)));
  return list;
}

}  // namespace ascribe
