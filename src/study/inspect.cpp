#include "study/inspect.h"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "onnx/lowering.h"
#include "onnx/unread_operators.h"

namespace ascribe::core {

static Json to_json(const DeclaredValue& value) {
  return Json::object({{"name", value.name}, {"type", value.element_type}, {"shape", value.shape}});
}

namespace study {

namespace {

bool is_read(const std::string& operator_name) {
  return operator_name == "Constant" || LoweringRegistry::instance().find(operator_name) != nullptr;
}

std::string rows_text(const Model& model) {
  if (!model.batched()) {
    return model.why_not_batched().empty() ? "one at a time, as the file fixes it"
                                           : fmt::format("one at a time: {}", model.why_not_batched());
  }
  const auto& inputs = model.info().inputs;
  const bool fixed = std::any_of(inputs.begin(), inputs.end(), [](const DeclaredValue& input) {
    return !input.shape.empty() && input.shape[0] == 1;
  });
  return fixed ? "any number N at a time; the file says 1, which was opened" : "any number N at a time";
}

// Also which texts columns of categories take.
std::vector<std::string> notes_of(const Model& model) {
  constexpr size_t kMostCategories = 20;
  std::vector<std::string> notes = model.notes();
  for (const auto& [input, columns] : model.info().texts) {
    for (size_t i = 0; i < columns.size(); ++i) {
      std::vector<std::string> categories = columns[i].categories;
      if (categories.size() > kMostCategories) categories.resize(kMostCategories), categories.emplace_back("...");
      notes.push_back(fmt::format("{} takes texts: {}{}", columns.size() == 1 ? input : fmt::format("{}[{}]", input, i),
                                  fmt::join(categories, ", "), columns[i].unknown ? "; others are unknown to it" : ""));
    }
  }
  return notes;
}

RunnableModel runnable(Model& model) {
  const Graph& graph = model.graph();
  return {port_infos(graph, graph.inputs),
          port_infos(graph, graph.outputs),
          model.batched(),
          rows_text(model),
          model.why_not_batched(),
          model.precision(),
          model.cost(),
          model.session().weight_bytes(),
          model.session().arena_bytes(1),
          notes_of(model)};
}

// `beyond`: operators that are read, but not with the attributes that the file sets.
void count_operators(InspectResult& result, const std::set<std::string>& beyond = {}) {
  for (const auto& [name, count] : result.info.operators) {
    result.operators.push_back({name, count, is_read(name) && !beyond.contains(name)});
  }
}

}  // namespace

InspectResult inspect(const Subject& subject, bool layers) {
  InspectResult result;
  result.model = subject.path();
  result.runnable = runnable(subject.model());
  result.info = subject.model().info();
  count_operators(result);
  if (layers) result.layers = layers_of(subject.model().graph());
  return result;
}

InspectResult inspect(const InspectRequest& request) {
  InspectResult result;
  try {
    return inspect(Subject::open(request.model), request.layers);
  } catch (const Error& error) {
    // A size that the file leaves open is the caller's to give; until then the file is described.
    const bool shape_missing = error.kind() == ErrorKind::argument && request.model.shapes.empty();
    if (error.kind() != ErrorKind::unsupported && !shape_missing) throw;
    result.model = request.model.path;
    result.refusal = error;
    result.info = request.model.bytes ? describe_model_bytes(*request.model.bytes, request.model.path)
                                      : describe_model(request.model.path);
    const auto beyond = request.model.bytes
                            ? operators_beyond_lowerings_of_bytes(*request.model.bytes, request.model.path)
                            : operators_beyond_lowerings(request.model.path);
    count_operators(result, beyond);
  }
  return result;
}

Json to_json(const InspectResult& result) {
  Json json = Json::object({{"model", result.model},
                            {"producer", result.info.producer},
                            {"ir_version", result.info.ir_version},
                            {"opset", result.info.opset},
                            {"supported", result.runnable.has_value()}});
  if (result.runnable) {
    const RunnableModel& model = *result.runnable;
    json["inputs"] = model.inputs;
    json["outputs"] = model.outputs;
    json["batched"] = model.batched;
    if (!model.batched) json["why_not_batched"] = model.why_not_batched;
    json["precision"] = to_string(model.precision);
    json["parameters"] = model.cost.parameters;
    json["macs_per_row"] = model.cost.macs_per_row;
    json["weight_bytes"] = model.weight_bytes;
    json["arena_bytes_per_row"] = model.arena_bytes_per_row;
    json["notes"] = model.notes;
  } else {
    json["inputs"] = result.info.inputs;
    json["outputs"] = result.info.outputs;
    json["refused"] = result.refusal->what();
  }
  json["operators"] = Json::list();
  for (const OperatorCount& one : result.operators) {
    json["operators"].push(Json::object({{"name", one.name}, {"count", one.count}, {"supported", one.supported}}));
  }
  if (result.layers) json["layers"] = *result.layers;
  json["metadata"] = result.info.metadata;
  return json;
}

}  // namespace study
}  // namespace ascribe::core
