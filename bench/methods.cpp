// Times an attribution method on random rows, beside Captum in bench/run.py.
// Usage: ascribe_bench_methods METHOD MODEL.onnx ROWS REPEATS THREADS BASELINES PLAYERS [KEY=VALUE...]
// BASELINES: how many; one is zero, several are random. The sessions are planned before the timed runs, as a caller
// that explains one input after the other has them.
#include <string>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/waiting.h"
#include "methods/method.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "questions.h"

namespace ascribe::core {
namespace {

void run(int argc, char** argv) {
  if (argc < 8)
    fail(ErrorKind::argument, "usage", "METHOD MODEL ROWS REPEATS THREADS BASELINES PLAYERS [KEY=VALUE...]");
  const Method& method = method_named(argv[1]);
  set_thread_count(std::stoi(argv[5]));
  const Parameters parameters(method.name, method.parameters, given_parameters(argc, argv, 8));
  ExplainedModel model(canonicalize(import_model(argv[2]).graph), {});
  const auto questions = random_questions(model.row(), std::stoll(argv[3]), std::stoll(argv[6]), argv[7]);
  measure(
      std::stoll(argv[4]), [] {}, [&] { attribute(method, model, questions, parameters); });
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
