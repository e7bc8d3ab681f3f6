// One method on rows of an array, for tests/interop and bench to compare with other tools.
// Usage: ascribe_attribute MODEL.onnx X.npy OUT.npy METHOD [--target T[,T...]] [--baseline B.npy] [--players TEXT]
//                          [--double] [--seed S] [--set KEY=VALUE]... [--values] [--repeat R] [--compile GRAPH.onnx]
// X has a row per question. OUT gets the elements' values in the shape of X, or with --values those of the players. A
// baseline of several rows is shared by all questions. Prints JSON: output, baseline_output, residual, standard_error,
// evaluations per row, and the seconds of each of R runs after a first one. With --compile nothing is run: GRAPH.onnx
// gets the method with these parameters, baselines and the first row's players; its input "target" has an index per
// row.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "methods/compile.h"
#include "methods/method.h"
#include "onnx/exporter.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "rows.h"

namespace ascribe::core {
namespace {

struct Arguments : RowArguments {
  std::string out, method, compiled;
  bool values = false;
};

void compile(const Arguments& arguments, const Graph& graph, const ExplainedModel& model) {
  CompileOptions options;
  options.method = arguments.method;
  options.parameters = given_parameters(arguments.set);
  options.seed = arguments.seed;
  if (!arguments.baseline.empty()) options.baselines = read_array(arguments.baseline).cast(DType::f64);
  options.players = questions_of(arguments, model).at(0).players;
  const Explanation explanation = compile_explanation(graph, options);
  write_file(arguments.compiled, export_model(explanation.graph, {model.real(), explanation.metadata}), true);
  fmt::print("{}\n", nlohmann::json({{"notes", explanation.notes}}).dump());
}

void run(const Arguments& arguments) {
  const Graph graph = canonicalize(import_model(arguments.model).graph);
  ExplainedModel model = explained_file(graph, arguments);
  if (!arguments.compiled.empty()) return compile(arguments, graph, model);
  const Method& method = method_named(arguments.method);
  const auto given = given_parameters(arguments.set);
  const Parameters parameters(method.name, method.parameters, given);
  const std::vector<Question> questions = questions_of(arguments, model);
  std::vector<Attribution> answers = attribute(method, model, questions, parameters, arguments.seed);
  const std::vector<double> seconds =
      timed(arguments.repeat, [&] { answers = attribute(method, model, questions, parameters, arguments.seed); });
  nlohmann::json rows = nlohmann::json::array();
  std::vector<double> flat;
  for (const Attribution& a : answers) {
    const auto elements = a.elements.data<double>();
    if (arguments.values) flat.insert(flat.end(), a.values.begin(), a.values.end());
    else flat.insert(flat.end(), elements.begin(), elements.end());
    rows.push_back({{"output", a.output},
                    {"baseline_output", a.baseline_output},
                    {"residual", a.residual},
                    {"exact", a.exact},
                    {"standard_errors", a.standard_errors},
                    {"evaluations", a.evaluations},
                    {"notes", a.notes}});
  }
  const auto count = std::ssize(answers);
  write_file(arguments.out, format_npy(Tensor::of<double>({count, std::ssize(flat) / count}, flat)), true);
  fmt::print("{}\n", nlohmann::json({{"rows", rows}, {"seconds", seconds}}).dump());
}

}  // namespace
}  // namespace ascribe::core

int main(int argc, char** argv) {
  ascribe::core::Arguments arguments;
  CLI::App app("One attribution method on rows of an array");
  app.add_option("model", arguments.model)->required();
  app.add_option("x", arguments.x)->required();
  app.add_option("out", arguments.out)->required();
  app.add_option("method", arguments.method)->required();
  ascribe::core::add_row_options(app, arguments);
  app.add_option("--compile", arguments.compiled);
  app.add_flag("--values", arguments.values);
  return ascribe::core::run_tool(app, argc, argv, [&] { ascribe::core::run(arguments); });
}
