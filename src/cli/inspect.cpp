// ascribe inspect: what a model file holds, and whether it can be run. A model with
// operators that cannot be read is still described; the exit code says so.
#include <algorithm>

#include <fmt/ranges.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/ports.h"
#include "cli/terminal.h"
#include "onnx/lowering.h"

namespace ascribe::core {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  GeneralOptions general;
  ModelOptions model;
};

// What inspect knows of a file; `model` is missing if it cannot be run.
struct Findings {
  std::string path;
  ModelInfo info;
  std::optional<Model> model;
  std::optional<Error> refusal;
};

Findings examine(const Options& options) {
  Findings findings;
  findings.path = options.model.path;
  try {
    findings.model = load_model(options.model, options.general);
    findings.info = findings.model->info();
  } catch (const Error& error) {
    // A size that the file leaves open is the caller's to give; until then the file is described.
    const bool shape_missing = error.kind() == ErrorKind::argument && options.model.shapes.empty();
    if (error.kind() != ErrorKind::unsupported && !shape_missing) throw;
    findings.refusal = error;
    findings.info = describe_model(options.model.path);
  }
  return findings;
}

bool is_read(const std::string& operator_name) {
  return operator_name == "Constant" || LoweringRegistry::instance().find(operator_name) != nullptr;
}

std::string rows_text(const Model& model) {
  if (!model.batched()) {
    return model.why_not_batched().empty() ? "one at a time, as the file fixes it"
                                           : fmt::format("one at a time: {}", printable(model.why_not_batched()));
  }
  const auto& inputs = model.info().inputs;
  const bool fixed = std::any_of(inputs.begin(), inputs.end(), [](const DeclaredValue& input) {
    return !input.shape.empty() && input.shape[0] == 1;
  });
  return fixed ? "any number N at a time; the file says 1, which was opened" : "any number N at a time";
}

std::string declared_text(const DeclaredValue& value) {
  if (value.element_type.empty()) return printable(value.name) + "  not a tensor";
  std::vector<std::string> shape;
  for (const int64_t extent : value.shape) shape.push_back(extent < 0 ? "?" : fmt::format("{}", extent));
  return fmt::format("{}  {} [{}]", printable(value.name), value.element_type, fmt::join(shape, ", "));
}

void print_declared(std::string_view title, const std::vector<DeclaredValue>& values,
                    std::vector<std::vector<std::string>>& lines) {
  for (const DeclaredValue& value : values) {
    lines.push_back({std::string(title), declared_text(value)});
    title = "";
  }
}

void print_operators(const ModelInfo& info) {
  std::vector<std::vector<std::string>> lines = {{"operator", "count", "supported"}};
  for (const auto& [name, count] : info.operators) {
    lines.push_back({printable(name), fmt::format("{}", count), is_read(name) ? green("✓") : red("✗")});
  }
  fmt::print("\n");
  print_columns(lines, 2);
}

void print_text(Findings& findings) {
  const ModelInfo& info = findings.info;
  fmt::print("{}\n", printable(findings.path));
  std::vector<std::vector<std::string>> lines;
  lines.push_back({"producer", info.producer.empty() ? "unknown" : printable(info.producer)});
  lines.push_back({"format", fmt::format("ONNX IR {}, opset {}", info.ir_version, info.opset)});
  if (findings.model) {
    Model& model = *findings.model;
    add_port_lines("inputs", model.graph(), model.graph().inputs, lines);
    add_port_lines("outputs", model.graph(), model.graph().outputs, lines);
    lines.push_back({"rows", rows_text(model)});
    lines.push_back({"precision", std::string(to_string(model.precision()))});
    lines.push_back({"parameters", with_thousands(model.cost().parameters)});
    lines.push_back({"work", fmt::format("{} multiply-adds per row", human_count(model.cost().macs_per_row))});
    lines.push_back({"memory", fmt::format("{} of weights, {} of temporary values for one row",
                                           human_bytes(model.session().weight_bytes()),
                                           human_bytes(model.session().arena_bytes(1)))});
  } else {
    print_declared("inputs", info.inputs, lines);
    print_declared("outputs", info.outputs, lines);
  }
  print_columns(lines, 2);
  print_operators(info);
}

Json declared_as_json(const std::vector<DeclaredValue>& values) {
  Json list = Json::array();
  for (const DeclaredValue& value : values) {
    list.push_back({{"name", value.name}, {"type", value.element_type}, {"shape", value.shape}});
  }
  return list;
}

void print_as_json(Findings& findings) {
  const ModelInfo& info = findings.info;
  Json json = {{"model", findings.path},
               {"producer", info.producer},
               {"ir_version", info.ir_version},
               {"opset", info.opset},
               {"supported", findings.model.has_value()}};
  if (findings.model) {
    Model& model = *findings.model;
    json["inputs"] = ports_as_json(model.graph(), model.graph().inputs);
    json["outputs"] = ports_as_json(model.graph(), model.graph().outputs);
    json["batched"] = model.batched();
    if (!model.batched()) json["why_not_batched"] = model.why_not_batched();
    json["precision"] = to_string(model.precision());
    json["parameters"] = model.cost().parameters;
    json["macs_per_row"] = model.cost().macs_per_row;
    json["weight_bytes"] = model.session().weight_bytes();
    json["arena_bytes_per_row"] = model.session().arena_bytes(1);
    json["notes"] = model.notes();
  } else {
    json["inputs"] = declared_as_json(info.inputs);
    json["outputs"] = declared_as_json(info.outputs);
    json["refused"] = findings.refusal->what();
  }
  json["operators"] = Json::array();
  for (const auto& [name, count] : info.operators) {
    json["operators"].push_back({{"name", name}, {"count", count}, {"supported", is_read(name)}});
  }
  json["metadata"] = info.metadata;
  print_json(json);
}

void inspect(const Options& options, int& code) {
  Findings findings = examine(options);
  if (options.general.json) print_as_json(findings);
  else print_text(findings);
  std::fflush(stdout);
  if (findings.model) print_notes(findings.model->notes(), options.general.quiet);
  if (findings.refusal) {
    fmt::print(stderr, "ascribe: {}\n", printable(findings.refusal->what()));
    code = exit_code(findings.refusal->kind());
  }
}

}  // namespace

void add_inspect(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand("inspect", "What a model holds: inputs, outputs, operators, size, work");
  auto options = std::make_shared<Options>();
  add_model_options(command, options->model);
  add_general_options(command, options->general);
  command.callback([options, &code] { inspect(*options, code); });
}

}  // namespace ascribe::core
