#include "study/compile.h"

#include "methods/compile.h"
#include "onnx/exporter.h"
#include "study/asked.h"
#include "study/cut_entrance.h"
#include "study/labels.h"
#include "study/series.h"

namespace ascribe::core::study {

namespace {

Shape explained_row(const Model& model) {
  return rows_in(model.graph()[model.graph().inputs[explained_input(model.graph(), "")].value].type.shape).row;
}

// What the numbers are, as far as it can be told without a row.
std::string noun(const OutputForm& form, const QuestionRequest& request, const Pick* pick) {
  if (pick != nullptr && !pick->explains.empty()) return pick->explains;
  if (request.probability()) return "probability";
  const bool logits = !form.head.empty() || (form.logits && form.kind != OutputKind::number);
  return logits ? "logit" : "value";
}

TargetText given_weights(const QuestionRequest& question, const Graph& file) {
  const std::vector<TargetText> texts =
      weights_per_row(question.target_weights, output_form(file, explained_output(file, question.output)));
  if (texts.size() != 1) {
    fail(ErrorKind::argument, "target_weights",
         "got weights for {} rows; expected those of one row, for all that the file will be asked about", texts.size());
  }
  return texts[0];
}

void set_target(CompileOptions& options, const CompileRequest& request, const Graph& file) {
  const std::string& text = request.target;
  const std::vector<std::string> labels = labels_of(request.question);
  const bool weighs = !request.question.target_weights.empty();
  const bool input = !weighs && (text == "index" || text == "one_hot");
  const TargetText target = weighs  ? given_weights(request.question, file)
                            : input ? TargetText{}
                                    : parse_target(text, labels, "index, one_hot, top");
  const TargetResolver resolver = resolver_of(request.question, file, target, labels);
  const OutputForm& form = resolver.form();
  options.explains = noun(form, request.question, nullptr);
  if (input) {
    options.target = text == "index" ? TargetKind::index : TargetKind::one_hot;
  } else if (target.top && (form.kind == OutputKind::vector || form.kind == OutputKind::number)) {
    options.target = TargetKind::top;
  } else {
    const Pick pick = resolver.pick(nullptr);
    check_explain(request.question, pick);
    std::vector<int64_t> targets;
    options.target = TargetKind::fixed;
    options.readout = readout_of({pick}, form, targets);
    options.index = targets[0];
    options.target_name = pick.text;
    options.explains = noun(form, request.question, &pick);
  }
}

// How a row holds an image or a series.
std::optional<ImageShape> plane_of(const Model& model, const Shape& row, const CompileRequest& request) {
  const std::string& players = request.question.players;
  const DataOptions reading = data_options(request.question.rows);
  if (reading.preprocess && reading.preprocess->series && row.size() < 3) {
    return series_shape(row, reading.preprocess->layout == PixelLayout::chw);
  }
  const Value input = model.graph().inputs[explained_input(model.graph(), "")].value;
  if (const auto series = series_read(model.graph(), input)) return series;
  const bool asks = players.starts_with("time") || players.starts_with("channel");
  return asks && row.size() < 3 ? series_by_length(row) : image_shape(row, {});
}

// Rows of 0 stand for "zero", whatever inputs the model has; the others are of its only real one.
void take_baselines(CompileOptions& compile, const CompileRequest& request, const Method& method,
                    const Subject& subject, std::vector<std::string>& notes) {
  const Model& model = subject.model();
  const Entrance* entrance = subject.entrance();
  if (!request.question.baselines.empty()) {
    if (!method.baselines) fail(ErrorKind::argument, "baselines", "{} does not use baselines", method.name);
    const Tensor& given = request.question.baselines;
    if (entrance != nullptr) {
      compile.baselines = entrance->baselines({"", &given, request.question.rows, request.run.seed, {}}, notes);
    }
    if (compile.baselines.empty()) compile.baselines = given_baselines(given, explained_row(model));
    return;
  }
  const bool usual = request.question.baseline.empty() && entrance != nullptr && method.baselines;
  const std::string text = usual ? entrance->usual_baseline(notes) : request.question.baseline_or_zero();
  if (text == "zero" && (entrance == nullptr || !method.baselines)) return;
  if (!method.baselines) fail(ErrorKind::argument, "baseline", "{} does not use baselines", method.name);
  if (depends_on_input(text)) {
    fail(ErrorKind::argument, "baseline",
         "'{}' depends on the input and cannot be frozen in; expected zero, value:V, file:F or data:F", text);
  }
  if (entrance != nullptr) {
    compile.baselines = entrance->baselines({text, nullptr, request.question.rows, request.run.seed, {}}, notes);
    if (!compile.baselines.empty()) return;
  }
  const Shape row = explained_row(model);
  const Tensor nothing(DType::f64, row);
  compile.baselines = read_baselines(text, model, explained_input(model.graph(), ""), request.question.rows,
                                     request.run.seed, &nothing, plane_of(model, row, request), notes);
}

void take_players(CompileOptions& compile, const CompileRequest& request, const Method& method,
                  const Subject& subject) {
  const std::string& text = request.question.players;
  if (!method.players) {
    if (request.question.chose_players())
      fail(ErrorKind::argument, "players", "{} values elements, not players", method.name);
    return;
  }
  if (text.starts_with("superpixels")) {
    fail(ErrorKind::argument, "players",
         "superpixels depend on the input and cannot be frozen in; expected patch:K, grid:RxC or others");
  }
  const Shape row = explained_row(subject.model());
  if (!request.question.owners.empty()) {
    compile.players = given_players(request.question, row, plane_of(subject.model(), row, request));
    return;
  }
  const auto* cut = dynamic_cast<const CutEntrance*>(subject.entrance());
  if (cut != nullptr && cut->takes_tokens()) {
    compile.players = token_players(text, cut->nameless_row(), row);
    return;
  }
  compile.players = make_players({text, row, plane_of(subject.model(), row, request), {}, nullptr});
}

CompileOptions compile_options(const CompileRequest& request, const ChosenMethod& chosen, const Subject& subject,
                               std::vector<std::string>& notes) {
  if (!request.question.targets.empty()) {
    fail(ErrorKind::argument, "targets", "the file is asked about rows that nobody knows yet; expected one target");
  }
  const ExplainOptions explained = request.question.options();
  CompileOptions compile;
  compile.method = request.method;
  compile.parameters = chosen.given;
  compile.seed = request.run.seed;
  compile.probability = explained.probability;
  compile.output = explained.output;
  set_target(compile, request, subject.outer().graph());
  take_baselines(compile, request, chosen.method, subject, notes);
  take_players(compile, request, chosen.method, subject);
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
  if (method.baselines) {
    const bool given = !request.question.baselines.empty();
    metadata["ascribe.baseline"] = given ? "given" : request.question.baseline_or_zero();
  }
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
  const CompileOptions how = compile_options(request, chosen, subject, notes);
  Explanation explanation = compile_explanation(model.graph(), how);
  model.check_rows();
  if (const auto* cut = dynamic_cast<const CutEntrance*>(subject.entrance())) {
    explanation.graph = joined(cut->cut(), explanation.graph);
    notes.emplace_back("the file takes the model's inputs and gives attributions to what they are made into");
  }
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
