// ascribe compile: the explanation of a model as an ONNX file that any runtime can run.
#include "methods/compile.h"

#include <filesystem>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/commands.h"
#include "cli/method_choice.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/ports.h"
#include "cli/question.h"
#include "cli/read_inputs.h"
#include "cli/target.h"
#include "cli/terminal.h"
#include "methods/method.h"
#include "model/try_rows.h"
#include "onnx/exporter.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  GeneralOptions general;
  ModelOptions model;
  OutputOptions file;
  InputOptions reading;  // of the baselines' file
  QuestionOptions question;
  std::string method;
  std::vector<std::string> settings;
};

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
void take_baselines(CompileOptions& compile, const Options& options, const Method& method, const Model& model,
                    std::vector<std::string>& notes) {
  const std::string& text = options.question.baseline;
  if (text == "zero") return;
  if (!method.baselines) fail(ErrorKind::argument, "--baseline", "{} does not use baselines", method.name);
  if (depends_on_input(text)) {
    fail(ErrorKind::argument, "--baseline",
         "'{}' depends on the input and cannot be frozen in; expected zero, value:V, file:F or data:F", text);
  }
  const size_t input = explained_input(model.graph(), "");
  const Shape row = input_slot(model, input).row;
  const Tensor nothing(DType::f64, row);
  compile.baselines = read_baselines(text, {model, input, options.reading, options.general.seed}, &nothing,
                                     image_shape(row, {}), notes);
}

void take_players(CompileOptions& compile, const Options& options, const Method& method, const Model& model) {
  const std::string& text = options.question.players;
  if (!method.players) {
    if (!text.empty()) fail(ErrorKind::argument, "--players", "{} values elements, not players", method.name);
    return;
  }
  if (text.starts_with("superpixels")) {
    fail(ErrorKind::argument, "--players",
         "superpixels depend on the input and cannot be frozen in; expected patch:K, grid:RxC or others");
  }
  const Shape row = input_slot(model, explained_input(model.graph(), "")).row;
  compile.players = make_players({text, row, image_shape(row, {}), {}, nullptr});
}

CompileOptions compile_options(const Options& options, const ChosenMethod& chosen, const Model& model,
                               std::vector<std::string>& notes) {
  CompileOptions compile;
  compile.method = options.method;
  compile.parameters = chosen.given;
  compile.seed = options.general.seed;
  compile.probability = options.question.probability();
  compile.output = options.question.output;
  const std::vector<std::string> labels = read_labels(options.reading.labels);
  const Port& output = explained_output(model.graph(), options.question.output);
  check_labels(labels, model.graph(), output, options.reading.labels);
  set_target(compile, options.question.target, labels);
  take_baselines(compile, options, chosen.method, model, notes);
  take_players(compile, options, chosen.method, model);
  return compile;
}

// The types that the file has, which need not be the model's own.
void declare_types(std::vector<Port>& ports, const Graph& graph, DType real) {
  for (Port& port : ports) {
    const Kind kind = graph[port.value].type.kind;
    port.element_type = kind == Kind::boolean ? "bool" : std::string(to_string(storage(kind, real)));
  }
}

void complete_metadata(Explanation& explanation, const Options& options, const Method& method,
                       const CompileOptions& compile) {
  const std::string& path = options.model.path;
  const std::string name = std::filesystem::path(path).filename().string();
  explanation.metadata["ascribe.model"] = fmt::format("{} sha256:{}", name, sha256(read_file(path)));
  if (method.baselines) explanation.metadata["ascribe.baseline"] = options.question.baseline;
  if (method.players) explanation.metadata["ascribe.players"] = compile.players.description;
  explanation.metadata["ascribe.version"] = ASCRIBE_VERSION;
}

std::string description(const Explanation& explanation) {
  const auto& about = explanation.metadata;
  return fmt::format("{}: {} with f the {} of {}, target: {}", about.at("ascribe.method"), about.at("ascribe.formula"),
                     about.at("ascribe.explains"), about.at("ascribe.output"), about.at("ascribe.target"));
}

void print_text(const Options& options, const Explanation& explanation, DType real, size_t bytes) {
  const auto about = [&](const std::string& key) { return printable(explanation.metadata.at("ascribe." + key)); };
  fmt::print("{}\n", printable(options.file.path));
  std::vector<std::vector<std::string>> lines;
  lines.push_back({"method", fmt::format("{}: {}", about("method"), about("formula"))});
  lines.push_back({"explains", fmt::format("{} of {}", about("explains"), about("output"))});
  lines.push_back({"target", about("target")});
  for (const char* key : {"baseline", "players"}) {
    if (explanation.metadata.contains(fmt::format("ascribe.{}", key))) lines.push_back({key, about(key)});
  }
  constexpr std::string_view kParameter = "ascribe.parameter.";
  std::string head = "parameters";
  for (const auto& [key, value] : explanation.metadata) {
    if (!key.starts_with(kParameter) || value.empty()) continue;
    lines.push_back({head, fmt::format("{} = {}", key.substr(kParameter.size()), printable(value))});
    head.clear();
  }
  add_port_lines("inputs", explanation.graph, explanation.graph.inputs, lines);
  add_port_lines("outputs", explanation.graph, explanation.graph.outputs, lines);
  lines.push_back({"precision", std::string(to_string(real))});
  lines.push_back({"size", human_bytes(bytes)});
  print_columns(lines, 2);
}

void print_as_json(const Options& options, const Explanation& explanation, DType real, size_t bytes,
                   const std::vector<std::string>& notes) {
  print_json({{"model", options.model.path},
              {"written", options.file.path},
              {"bytes", bytes},
              {"precision", to_string(real)},
              {"inputs", ports_as_json(explanation.graph, explanation.graph.inputs)},
              {"outputs", ports_as_json(explanation.graph, explanation.graph.outputs)},
              {"metadata", explanation.metadata},
              {"notes", notes}});
}

void check_target_file(const Options& options) {
  check_output(options.file, {".onnx"});
  std::error_code missing;
  if (std::filesystem::equivalent(options.file.path, options.model.path, missing)) {
    fail(ErrorKind::argument, options.file.path, "this is the model itself; choose another name");
  }
}

void check_compilable(const Method& method) {
  if (method.graph != nullptr) return;
  fail(ErrorKind::unsupported, method.name, "this method is not a graph; it can be run with ascribe explain only");
}

void compile(const Options& options) {
  check_target_file(options);
  const ChosenMethod chosen = choose_methods({options.method}, options.settings)[0];
  check_compilable(chosen.method);
  Model model = load_model(options.model, options.general);
  std::vector<std::string> notes = model.notes();
  const CompileOptions how = compile_options(options, chosen, model, notes);
  Explanation explanation = compile_explanation(model.graph(), how);
  try_two_rows(model);
  const DType real = model.precision();
  declare_types(explanation.graph.inputs, explanation.graph, real);
  declare_types(explanation.graph.outputs, explanation.graph, real);
  complete_metadata(explanation, options, chosen.method, how);
  const std::string bytes = export_model(explanation.graph, {real, explanation.metadata, description(explanation)});
  write_output(options.file, bytes);
  notes.insert(notes.end(), explanation.notes.begin(), explanation.notes.end());
  print_notes(notes, options.general.quiet);
  if (options.general.json) print_as_json(options, explanation, real, bytes.size(), notes);
  else print_text(options, explanation, real, bytes.size());
}

}  // namespace

void add_compile(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("compile", "An explanation as an ONNX file, to be run elsewhere");
  auto options = std::make_shared<Options>();
  options->question.target = "index";
  add_model_options(command, options->model);
  command
      .add_option("--method", options->method, "How to explain; ascribe methods lists the methods, and which compile")
      ->required()
      ->type_name("NAME");
  command
      .add_option("--target", options->question.target,
                  "What to explain: an input 'target' of the file that takes an index per row (index)\n"
                  "or a weight per class (one_hot), each row's top class (top), or one class for all\n"
                  "rows, by number or label")
      ->capture_default_str()
      ->type_name("index|one_hot|top|CLASS");
  command.add_option("--labels", options->reading.labels, "Names of the classes, one per line")->type_name("FILE");
  add_explain_options(command, options->question);
  add_setting_option(command, options->settings);
  command
      .add_option("--baseline", options->question.baseline,
                  "What the input is compared with, frozen in: zero, value:V, file:F or data:F (the\n"
                  "mean over its rows)")
      ->capture_default_str()
      ->type_name("B");
  add_players_option(command, options->question);
  add_reading_options(command, options->reading);
  add_output_options(command, options->file, "The .onnx file to write");
  command.get_option("--out")->required();
  add_general_options(command, options->general);
  command.callback([options] { compile(*options); });
}

}  // namespace ascribe::core
