#include "study/compile.h"

#include "methods/compile.h"
#include "onnx/exporter.h"
#include "study/asked.h"
#include "study/labels.h"

namespace ascribe::core::study {

namespace {

Shape explained_row(const Model& model) {
  return rows_in(model.graph()[model.graph().inputs[explained_input(model.graph(), "")].value].type.shape).row;
}

void set_target(CompileOptions& options, const std::string& text, const std::vector<std::string>& labels) {
  if (text == "index") options.target = TargetKind::index;
  else if (text == "one_hot") options.target = TargetKind::one_hot;
  else if (text == "top") options.target = TargetKind::top;
  else {
    options.target = TargetKind::fixed;
    options.index = class_index(text, labels, "index, one_hot, top");
  }
}

// Rows of 0 stand for "zero", whatever inputs the model has; the others are of its only real one.
void take_baselines(CompileOptions& compile, const CompileRequest& request, const Method& method, const Model& model,
                    std::vector<std::string>& notes) {
  const std::string& text = request.question.baseline;
  if (text == "zero") return;
  if (!method.baselines) fail(ErrorKind::argument, "baseline", "{} does not use baselines", method.name);
  if (depends_on_input(text)) {
    fail(ErrorKind::argument, "baseline",
         "'{}' depends on the input and cannot be frozen in; expected zero, value:V, file:F or data:F", text);
  }
  const Shape row = explained_row(model);
  const Tensor nothing(DType::f64, row);
  compile.baselines = read_baselines(text, model, explained_input(model.graph(), ""), request.question.rows,
                                     request.run.seed, &nothing, image_shape(row, {}), notes);
}

void take_players(CompileOptions& compile, const CompileRequest& request, const Method& method, const Model& model) {
  const std::string& text = request.question.players;
  if (!method.players) {
    if (!text.empty()) fail(ErrorKind::argument, "players", "{} values elements, not players", method.name);
    return;
  }
  if (text.starts_with("superpixels")) {
    fail(ErrorKind::argument, "players",
         "superpixels depend on the input and cannot be frozen in; expected patch:K, grid:RxC or others");
  }
  const Shape row = explained_row(model);
  compile.players = make_players({text, row, image_shape(row, {}), {}, nullptr});
}

CompileOptions compile_options(const CompileRequest& request, const ChosenMethod& chosen, const Model& model,
                               std::vector<std::string>& notes) {
  const ExplainOptions explained = request.question.options();
  CompileOptions compile;
  compile.method = request.method;
  compile.parameters = chosen.given;
  compile.seed = request.run.seed;
  compile.probability = explained.probability;
  compile.output = explained.output;
  const std::vector<std::string> labels = labels_of(request.question);
  check_labels(labels, model.graph(), explained_output(model.graph(), explained.output), request.question.labels);
  set_target(compile, request.target, labels);
  take_baselines(compile, request, chosen.method, model, notes);
  take_players(compile, request, chosen.method, model);
  return compile;
}

// The types that the file has, which need not be the model's own.
void declare_types(std::vector<Port>& ports, const Graph& graph, DType real) {
  for (Port& port : ports) {
    const Kind kind = graph[port.value].type.kind;
    port.element_type = kind == Kind::boolean ? "bool" : std::string(to_string(storage(kind, real)));
  }
}

void complete_metadata(Explanation& explanation, const Subject& subject, const CompileRequest& request,
                       const Method& method, const CompileOptions& compile) {
  auto& metadata = explanation.metadata;
  metadata["ascribe.model"] = fmt::format("{} sha256:{}", subject.name(), subject.hash());
  if (method.baselines) metadata["ascribe.baseline"] = request.question.baseline;
  if (method.players) metadata["ascribe.players"] = compile.players.description;
  metadata["ascribe.version"] = ASCRIBE_VERSION;
}

std::string description(const Explanation& explanation) {
  const auto& about = explanation.metadata;
  return fmt::format("{}: {} with f the {} of {}, target: {}", about.at("ascribe.method"), about.at("ascribe.formula"),
                     about.at("ascribe.explains"), about.at("ascribe.output"), about.at("ascribe.target"));
}

}  // namespace

ChosenMethod compilable_method(const CompileRequest& request) {
  ChosenMethod chosen = choose_methods({request.method}, request.settings).at(0);
  if (chosen.method.graph == nullptr) {
    fail(ErrorKind::unsupported, chosen.method.name, "this method is not a graph; it can be run, not compiled");
  }
  return chosen;
}

CompileResult compile(const Subject& given, const CompileRequest& request) {
  Running running(request.run);
  const Subject subject = asked(given, request.question, running, false);
  const ChosenMethod chosen = compilable_method(request);
  Model& model = subject.model();
  std::vector<std::string> notes = model.notes();
  const CompileOptions how = compile_options(request, chosen, model, notes);
  Explanation explanation = compile_explanation(model.graph(), how);
  model.check_rows();
  const DType real = model.precision();
  declare_types(explanation.graph.inputs, explanation.graph, real);
  declare_types(explanation.graph.outputs, explanation.graph, real);
  complete_metadata(explanation, subject, request, chosen.method, how);
  CompileResult result;
  result.model = subject.path();
  result.bytes = export_model(explanation.graph, {real, explanation.metadata, description(explanation)});
  result.precision = real;
  result.inputs = port_infos(explanation.graph, explanation.graph.inputs);
  result.outputs = port_infos(explanation.graph, explanation.graph.outputs);
  result.metadata = std::move(explanation.metadata);
  running.note(notes);
  running.note(explanation.notes);
  result.notes = running.notes();
  return result;
}

Json to_json(const CompileResult& result, const std::string& written) {
  return Json::object({{"model", result.model},
                       {"written", written},
                       {"bytes", result.bytes.size()},
                       {"precision", to_string(result.precision)},
                       {"inputs", result.inputs},
                       {"outputs", result.outputs},
                       {"metadata", result.metadata},
                       {"notes", result.notes}});
}

}  // namespace ascribe::core::study
