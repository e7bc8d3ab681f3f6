// One method on rows of an array, for tests/interop and bench to compare with other tools.
// Usage: ascribe_attribute MODEL.onnx X.npy OUT.npy METHOD [--target T[,T...]] [--baseline B.npy] [--players TEXT]
//                          [--double] [--seed S] [--set KEY=VALUE]... [--values] [--repeat R] [--compile GRAPH.onnx]
// X has a row per question. OUT gets the elements' values in the shape of X, or with --values those of the players. A
// baseline of several rows is shared by all questions. Prints JSON: output, baseline_output, residual, standard_error,
// evaluations per row, and the seconds of each of R runs after a first one. With --compile nothing is run: GRAPH.onnx
// gets the method with these parameters, baselines and the first row's players; its input "target" has an index per
// row.
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/parallel.h"
#include "methods/compile.h"
#include "methods/method.h"
#include "onnx/exporter.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "tensor/npy.h"

namespace ascribe {
namespace {

struct Arguments {
  std::string model, x, out, method, baseline, compiled, players = "elements";
  std::vector<int64_t> targets = {0};
  std::vector<std::string> set;
  bool precise = false, values = false;
  uint64_t seed = 0;
  int repeat = 0, threads = 2;
};

Tensor read(const std::string& path) { return parse_npy(read_file(path), path).values; }

std::vector<Question> questions_of(const Arguments& arguments, const ExplainedModel& model) {
  const Tensor x = read(arguments.x).cast(model.real());
  const Shape& row = model.row();
  Shape one = row;
  one.insert(one.begin(), 1);
  const int64_t size = element_count(row), rows = x.size() / size;
  Tensor baselines = arguments.baseline.empty() ? Tensor(DType::f64, one) : read(arguments.baseline).cast(DType::f64);
  std::vector<Question> questions;
  for (int64_t r = 0; r < rows; ++r) {
    Tensor point(x.dtype(), one);
    std::copy_n(static_cast<const std::byte*>(x.memory()) + static_cast<size_t>(r) * point.bytes(), point.bytes(),
                static_cast<std::byte*>(point.mutable_memory()));
    std::optional<ImageShape> image;
    if (row.size() == 3) image = ImageShape{PixelLayout::chw, row[0], row[1], row[2]};
    PlayersRequest request{arguments.players, row, image, {}, &point};
    const auto& targets = arguments.targets;
    questions.push_back(
        {{point}, targets[targets.size() == 1 ? 0 : static_cast<size_t>(r)], baselines, make_players(request)});
  }
  return questions;
}

std::map<std::string, std::string> given_parameters(const Arguments& arguments) {
  std::map<std::string, std::string> given;
  for (const std::string& text : arguments.set) given[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  return given;
}

void compile(const Arguments& arguments, const Graph& graph, const ExplainedModel& model) {
  CompileOptions options;
  options.method = arguments.method;
  options.parameters = given_parameters(arguments);
  options.seed = arguments.seed;
  if (!arguments.baseline.empty()) options.baselines = read(arguments.baseline).cast(DType::f64);
  options.players = questions_of(arguments, model).at(0).players;
  const Explanation explanation = compile_explanation(graph, options);
  write_file(arguments.compiled, export_model(explanation.graph, {model.real(), explanation.metadata}), true);
  fmt::print("{}\n", nlohmann::json({{"notes", explanation.notes}}).dump());
}

void run(const Arguments& arguments) {
  set_thread_count(arguments.threads);
  ExplainOptions options;
  options.session.real = arguments.precise ? DType::f64 : DType::f32;
  const Graph graph = canonicalize(import_model(arguments.model).graph);
  ExplainedModel model(graph, options);
  if (!arguments.compiled.empty()) return compile(arguments, graph, model);
  const Method& method = method_named(arguments.method);
  const auto given = given_parameters(arguments);
  const Parameters parameters(method.name, method.parameters, given);
  const std::vector<Question> questions = questions_of(arguments, model);
  std::vector<Attribution> answers = attribute(method, model, questions, parameters, arguments.seed);
  std::vector<double> seconds;
  for (int i = 0; i < arguments.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    answers = attribute(method, model, questions, parameters, arguments.seed);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
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
}  // namespace ascribe

int main(int argc, char** argv) {
  ascribe::Arguments arguments;
  CLI::App app("One attribution method on rows of an array");
  app.add_option("model", arguments.model)->required();
  app.add_option("x", arguments.x)->required();
  app.add_option("out", arguments.out)->required();
  app.add_option("method", arguments.method)->required();
  app.add_option("--target", arguments.targets)->delimiter(',');
  app.add_option("--baseline", arguments.baseline);
  app.add_option("--players", arguments.players);
  app.add_option("--seed", arguments.seed);
  app.add_option("--repeat", arguments.repeat);
  app.add_option("--threads", arguments.threads);
  app.add_option("--set", arguments.set);
  app.add_option("--compile", arguments.compiled);
  app.add_flag("--double", arguments.precise);
  app.add_flag("--values", arguments.values);
  CLI11_PARSE(app, argc, argv);
  try {
    ascribe::run(arguments);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
