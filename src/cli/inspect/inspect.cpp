// ascribe inspect: what a model file holds, and whether it can be run. A model with operators that cannot be read is
// still described; the exit code says so.
#include "study/inspect.h"

#include <fmt/ranges.h>

#include "cli/program.h"
#include "cli/shared_options.h"

namespace ascribe::core::cli::command_inspect {

namespace {

std::string declared_text(const DeclaredValue& value) {
  if (value.element_type.empty()) return printable(value.name) + "  not a tensor";
  std::vector<std::string> shape;
  for (const int64_t extent : value.shape) shape.push_back(extent < 0 ? "?" : fmt::format("{}", extent));
  return fmt::format("{}  {} [{}]", printable(value.name), value.element_type, fmt::join(shape, ", "));
}

std::string port_text(const study::PortInfo& port) {
  return fmt::format("{}  {} {}", printable(port.name), port.type, to_string(port.shape));
}

// A line for each, the first with the title.
template <class T>
void add_lines(Lines& lines, std::string title, const std::vector<T>& values, std::string (*text)(const T&)) {
  for (const T& value : values) {
    lines.push_back({title, text(value)});
    title.clear();
  }
}

void print(const study::InspectResult& result) {
  fmt::print("{}\n", printable(result.model));
  const ModelInfo& info = result.info;
  Lines lines;
  lines.push_back({"producer", info.producer.empty() ? "unknown" : printable(info.producer)});
  lines.push_back({"format", fmt::format("ONNX IR {}, opset {}", info.ir_version, info.opset)});
  if (result.runnable) {
    const study::RunnableModel& model = *result.runnable;
    add_lines(lines, "inputs", model.inputs, port_text);
    add_lines(lines, "outputs", model.outputs, port_text);
    lines.push_back({"rows", printable(model.rows)});
    lines.push_back({"precision", std::string(to_string(model.precision))});
    lines.push_back({"parameters", with_thousands(model.cost.parameters)});
    lines.push_back({"work", fmt::format("{} multiply-adds per row", human_count(model.cost.macs_per_row))});
    lines.push_back({"memory", fmt::format("{} of weights, {} of temporary values for one row",
                                           human_bytes(model.weight_bytes), human_bytes(model.arena_bytes_per_row))});
  } else {
    add_lines(lines, "inputs", info.inputs, declared_text);
    add_lines(lines, "outputs", info.outputs, declared_text);
  }
  print_columns(lines, 2);
  Lines operators = {{"operator", "count", "supported"}};
  for (const study::OperatorCount& one : result.operators) {
    operators.push_back({printable(one.name), fmt::format("{}", one.count), one.supported ? green("✓") : red("✗")});
  }
  fmt::print("\n");
  print_columns(operators, 2);
}

// What settings can name, one line each.
void print_layers(const std::vector<study::LayerInfo>& layers) {
  if (layers.empty())
    return fmt::print("\n  nothing inside has a name, so settings name inputs and outputs only\n"), void();
  Lines lines = {{"layer", "operation", "result", "in rule sets", "Grad-CAM", "enters"}};
  std::map<std::string, std::string> rules;
  for (const study::LayerInfo& layer : layers) {
    std::string selector = layer.kind;
    if (layer.number) selector = fmt::format("{}, {}", *layer.number, layer.kind);
    lines.push_back({layer.name.empty() ? "–" : printable(layer.name), layer.operation, to_string(layer.shape),
                     selector,
                     layer.usual_map ? "yes, the usual one"
                     : layer.has_map ? "yes"
                                     : "",
                     layer.enters ? "yes" : ""});
    rules.insert(layer.rules.begin(), layer.rules.end());
  }
  fmt::print("\n");
  print_columns(lines, 2);
  fmt::print("\n  in rule sets (--set rules=LAYER:RULE): by name, number or kind; also first, last and any\n");
  for (const auto& [method, rule] : rules) fmt::print("    {} gives layers with a number {}\n", method, rule);
  fmt::print("  Grad-CAM: what --set layer=NAME takes\n  enters: what --at NAME takes\n");
}

int inspect(const ModelChoice& model, const General& general, bool layers) {
  const study::InspectResult result = study::inspect({model.source(general), layers});
  general.show([&] { return to_json(result); },
               [&] {
                 print(result);
                 if (result.layers) print_layers(*result.layers);
               });
  std::fflush(stdout);
  if (result.runnable) general.notes(result.runnable->notes);
  if (!result.refusal) return 0;
  fmt::print(stderr, "ascribe: {}\n", printable(spelled(*result.refusal)));
  return exit_code(result.refusal->kind());
}

const RegisterCommand command({"inspect", 1, "What a model holds: inputs, outputs, operators, size, work",
                               [](Options& options) -> std::function<int()> {
                                 auto model = std::make_shared<ModelChoice>();
                                 auto general = std::make_shared<General>();
                                 auto layers = std::make_shared<bool>(false);
                                 add_model(options, *model);
                                 options.flag(
                                     "--layers", *layers,
                                     "List what settings can name inside the network: for rule sets (rules=),\n"
                                     "Grad-CAM (layer=) and --at");
                                 add_general(options, *general);
                                 return [model, general, layers] { return inspect(*model, *general, *layers); };
                               }});

}  // namespace

}  // namespace ascribe::core::cli::command_inspect
