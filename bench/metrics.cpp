// Times a metric on random rows and their gradient x input, beside Captum and Quantus in bench/run.py.
// Usage: ascribe_bench_metrics METRIC MODEL.onnx ROWS REPEATS THREADS [KEY=VALUE...]
// The attributions are there before the timed runs.
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/waiting.h"
#include "metrics/metric.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "questions.h"

namespace ascribe::core {
namespace {

void run(int argc, char** argv) {
  if (argc < 6) fail(ErrorKind::argument, "usage", "METRIC MODEL ROWS REPEATS THREADS [KEY=VALUE...]");
  const Metric& metric = metric_named(argv[1]);
  set_thread_count(std::stoi(argv[5]));
  const Parameters parameters(metric.name, metric.parameters, given_parameters(argc, argv, 6));
  ExplainedModel model(canonicalize(import_model(argv[2]).graph), {});
  const auto questions = random_questions(model.row(), std::stoll(argv[3]), 1, "pixels");
  const Method& method = method_named("gradient_x_input");
  const Parameters defaults(method.name, method.parameters);
  const auto attributions = attribute(method, model, questions, defaults);
  const std::vector<MethodExplanations> methods = {{method, defaults, attributions}};
  std::vector<uint64_t> streams(questions.size());
  std::iota(streams.begin(), streams.end(), uint64_t{0});
  const MetricInput input{model, questions, streams, methods, {}, parameters, 0, {}};
  measure(
      std::stoll(argv[4]), [] {}, [&] { score(metric, input); });
}

}  // namespace
}  // namespace ascribe::core

int main(int argc, char** argv) {
  ascribe::core::wait_briefly(argv);  // as the program does
  try {
    ascribe::core::run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
