// One metric on rows of an array, for tests/interop to compare with other tools.
// Usage: ascribe_score MODEL.onnx X.npy METRIC (--method M[,M...] | --attributions A.npy [--slopes])
//                      [--target T[,T...]] [--baseline B.npy] [--players TEXT] [--objects MASKS.npy] [--double]
//                      [--seed S] [--set KEY=VALUE]... [--repeat R] [--threads N] [--draws OUT.npy]
// X has a row per question; a question's draws depend on its number. A has an attribution for each, of contributions
// or slopes of the elements, from elsewhere. MASKS has the object's pixels of each. Prints JSON: scores [method][row]
// with value (null if undefined), undefined, positions and curve, and the seconds of each of R further runs. --draws
// writes what the metric drew, [row][draw][...]: players of a set, or noise of the elements.
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "metrics/draws.h"
#include "metrics/metric.h"
#include "metrics/player_sets.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "rows.h"

namespace ascribe::core {
namespace {

struct Arguments : RowArguments {
  std::string metric, attributions, objects, draws;
  std::vector<std::string> methods;
  bool slopes = false;
};

// A method, and what it said.
struct Explained {
  Method method;
  Parameters parameters;
  std::vector<Attribution> attributions;
};

Explained by_method(const std::string& name, ExplainedModel& model, std::span<const Question> questions,
                    uint64_t seed) {
  const Method& method = method_named(name);
  const Parameters parameters(name, method.parameters);
  return {method, parameters, attribute(method, model, questions, parameters, seed)};
}

Explained from_elsewhere(const Arguments& arguments, ExplainedModel& model, std::span<const Question> questions) {
  Method method;
  method.name = "given";
  method.kind = arguments.slopes ? AttributionKind::sensitivity : AttributionKind::contribution;
  Explained result{method, Parameters(method.name, {}), {}};
  const Tensor values = read_array(arguments.attributions).cast(DType::f64);
  const auto all = values.data<double>();
  const auto size = static_cast<size_t>(element_count(model.row()));
  if (all.size() != size * questions.size()) {
    fail(ErrorKind::shape, arguments.attributions, "expected {} rows of {} values; got {} values", questions.size(),
         size, all.size());
  }
  for (size_t q = 0; q < questions.size(); ++q) {
    const int64_t target = questions[q].target;
    const double output = model.values(questions[q].point, {&target, 1}).at(0);
    result.attributions.push_back(attribution_of_elements(questions[q],
                                                          Tensor::of<double>(model.row(), all.subspan(q * size, size)),
                                                          output, model.baseline_output(questions[q])));
  }
  return result;
}

std::vector<Explained> explained(const Arguments& arguments, ExplainedModel& model,
                                 std::span<const Question> questions) {
  std::vector<Explained> result;
  if (!arguments.attributions.empty()) result.push_back(from_elsewhere(arguments, model, questions));
  for (const std::string& name : arguments.methods) {
    result.push_back(by_method(name, model, questions, arguments.seed));
  }
  return result;
}

std::vector<PixelMask> masks_of(const Arguments& arguments, size_t questions) {
  if (arguments.objects.empty()) return {};
  const Tensor array = read_array(arguments.objects).cast(DType::f64);
  const auto all = array.data<double>();
  const size_t size = all.size() / questions;
  std::vector<PixelMask> masks(questions, PixelMask(size));
  for (size_t i = 0; i < size * questions; ++i) masks[i / size][i % size] = all[i] != 0 ? 1 : 0;
  return masks;
}

// What a metric drew for a question, one draw behind the other.
struct Draws {
  int64_t count = 0;
  std::vector<double> values;
};

Draws drawn_sets(const MetricInput& input, size_t q, const std::string& metric) {
  const int64_t players = input.questions[q].players.count();
  const int64_t size = set_size(metric, input.parameters.real("size"), players);
  Draws draws{input.parameters.integer("subsets"), {}};
  for (int64_t k = 0; k < draws.count; ++k) {
    const PlayerSet set = drawn_set(draws_of(input, q, metric), static_cast<uint64_t>(k), players, size);
    draws.values.insert(draws.values.end(), set.begin(), set.end());
  }
  return draws;
}

// Element i of draw k is number k * elements + i of the stream.
Draws drawn_noise(const MetricInput& input, size_t q, const std::string& metric) {
  const Parameters& parameters = input.parameters;
  const bool normal = metric == "infidelity_gaussian";
  const Random random = draws_of(input, q, normal ? metric : "sensitivity");
  Draws draws{parameters.integer(normal ? "perturbations" : "samples"), {}};
  for (int64_t k = 0; k < draws.count * element_count(input.model.row()); ++k) {
    const auto index = static_cast<uint64_t>(k);
    draws.values.push_back(normal ? parameters.real("sigma") * random.normal(index)
                                  : parameters.real("radius") * (2 * random.uniform(index) - 1));
  }
  return draws;
}

void write_draws(const Arguments& arguments, const MetricInput& input) {
  const auto draw = arguments.metric == "faithfulness_correlation" ? drawn_sets : drawn_noise;
  const int64_t rows = std::ssize(input.questions);
  Draws all;
  for (size_t q = 0; q < input.questions.size(); ++q) {
    const Draws some = draw(input, q, arguments.metric);
    all.count = some.count;
    all.values.insert(all.values.end(), some.values.begin(), some.values.end());
  }
  const Shape shape = {rows, all.count, std::ssize(all.values) / (rows * all.count)};
  write_file(arguments.draws, format_npy(Tensor::of<double>(shape, all.values)), true);
}

nlohmann::json as_json(const Scores& scores) {
  nlohmann::json methods = nlohmann::json::array();
  for (const auto& of_method : scores) {
    nlohmann::json& rows = methods.emplace_back(nlohmann::json::array());
    for (const Score& one : of_method) {
      rows.push_back(
          {{"value", one.value}, {"undefined", one.undefined}, {"positions", one.positions}, {"curve", one.curve}});
    }
  }
  return methods;
}

void run(const Arguments& arguments) {
  ExplainedModel model = explained_file(canonicalize(import_model(arguments.model).graph), arguments);
  const Metric& metric = metric_named(arguments.metric);
  const Parameters parameters(metric.name, metric.parameters, given_parameters(arguments.set));
  const std::vector<Question> questions = questions_of(arguments, model);
  const std::vector<Explained> answers = explained(arguments, model, questions);
  std::vector<MethodExplanations> methods;
  for (const Explained& one : answers) methods.push_back({one.method, one.parameters, one.attributions});
  const std::vector<PixelMask> masks = masks_of(arguments, questions.size());
  std::vector<uint64_t> streams(questions.size());
  std::iota(streams.begin(), streams.end(), uint64_t{0});
  const MetricInput input{model, questions, streams, methods, masks, parameters, arguments.seed, {}};
  const Scores scores = score(metric, input);
  if (!arguments.draws.empty()) write_draws(arguments, input);
  const std::vector<double> seconds = timed(arguments.repeat, [&] { score(metric, input); });
  fmt::print("{}\n", nlohmann::json({{"scores", as_json(scores)}, {"seconds", seconds}}).dump());
}

}  // namespace
}  // namespace ascribe::core

int main(int argc, char** argv) {
  ascribe::core::Arguments arguments;
  CLI::App app("One metric on rows of an array");
  app.add_option("model", arguments.model)->required();
  app.add_option("x", arguments.x)->required();
  app.add_option("metric", arguments.metric)->required();
  app.add_option("--method", arguments.methods)->delimiter(',');
  app.add_option("--attributions", arguments.attributions);
  app.add_flag("--slopes", arguments.slopes);
  app.add_option("--objects", arguments.objects);
  app.add_option("--draws", arguments.draws);
  ascribe::core::add_row_options(app, arguments);
  return ascribe::core::run_tool(app, argc, argv, [&] { ascribe::core::run(arguments); });
}
