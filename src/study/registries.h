// The contents of the registries, for commands that list them: methods, metrics, interaction indices, operators.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "game/interaction_index.h"
#include "methods/method.h"
#include "metrics/metric.h"

namespace ascribe::core {

Json to_json(const Method& method);
Json to_json(const Metric& metric);
Json to_json(const InteractionIndex& index);

namespace study {

// A property that methods declare, and that is tested.
struct MethodProperty {
  const char* name;
  bool Method::*declared;
  const char* meaning;
};
const std::vector<MethodProperty>& method_properties();

// The core operations that operators of a file become: all but functions of a caller's.
std::vector<const Op*> core_operations();
Json operators_json();  // {opset, onnx: [{name, note, version, attributes}], core: [{name, class, formula}]}

}  // namespace study
}  // namespace ascribe::core
