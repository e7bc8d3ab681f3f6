// Times derivatives of a model:
//   ascribe_bench_gradient gradient MODEL.onnx ROWS REPEATS THREADS   of one logit, with respect to the input
//   ascribe_bench_gradient hessian MODEL.onnx 1 REPEATS THREADS       of one logit, all of it
// Prints one line of JSON: seconds of every run and the peak memory of the process.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "base/parallel.h"
#include "base/waiting.h"
#include "derivatives/derivatives.h"
#include "onnx/importer.h"
#include "passes/canonicalize.h"
#include "passes/gradient.h"

#include "measure.h"
#include "steps.h"

using namespace ascribe::core;

namespace {

// 1 for the first logit of every row.
Tensor first_logit(const Shape& shape) {
  Tensor tensor(DType::f32, shape);
  auto values = tensor.mutable_data<float>();
  for (size_t i = 0; i < values.size(); i += values.size() / static_cast<size_t>(shape[0])) values[i] = 1;
  return tensor;
}

void measure_gradient(const char* path, int64_t rows, int64_t repeats) {
  Graph graph = gradient(canonicalize(import_model(path).graph)).graph;
  const Shape input = at(graph[graph.inputs[0].value].type.shape, rows);
  const Shape logits = at(graph[graph.inputs[1].value].type.shape, rows);
  Session session(std::move(graph));
  const std::array inputs = {random_input(input), first_logit(logits)};
  const auto run = [&] { session.run(inputs); };
  print_steps(session, rows, run);
  measure(
      repeats, [] {}, run);
}

void measure_hessian(const char* path, int64_t repeats) {
  const Graph graph = canonicalize(import_model(path).graph);
  const Shape input = at(graph[graph.inputs[0].value].type.shape, 1);
  Derivatives derivatives(graph, {}, {.real = DType::f32});
  const std::array point = {random_input(input)};
  measure(
      repeats, [] {}, [&] { derivatives.hessian(point); });
}

}  // namespace

int main(int argc, char** argv) {
  ascribe::core::wait_briefly(argv);  // as the program does
  if (argc != 6) {
    std::fputs("usage: ascribe_bench_gradient gradient|hessian MODEL.onnx ROWS REPEATS THREADS\n", stderr);
    return 2;
  }
  try {
    set_thread_count(std::atoi(argv[5]));
    const int64_t rows = std::atoll(argv[3]), repeats = std::atoll(argv[4]);
    if (std::string_view(argv[1]) == "hessian") measure_hessian(argv[2], repeats);
    else measure_gradient(argv[2], rows, repeats);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ascribe_bench_gradient: %s\n", error.what());
    return 1;
  }
}
