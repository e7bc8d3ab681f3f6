// Times the forward pass of a model: ascribe_bench_forward MODEL.onnx ROWS REPEATS THREADS.
// Prints one line of JSON: seconds of every run and the peak memory of the process.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/parallel.h"
#include "base/waiting.h"
#include "model/model.h"

#include "measure.h"
#include "steps.h"

using namespace ascribe::core;

int main(int argc, char** argv) {
  ascribe::core::wait_briefly(argv);  // as the program does
  if (argc != 5) {
    std::fputs("usage: ascribe_bench_forward MODEL.onnx ROWS REPEATS THREADS\n", stderr);
    return 2;
  }
  try {
    const int64_t rows = std::atoll(argv[2]), repeats = std::atoll(argv[3]);
    set_thread_count(std::atoi(argv[4]));
    LoadOptions options;
    options.keep_graph = false;
    Model model = Model::load(argv[1], options);
    std::vector<Tensor> inputs;
    for (const Port& port : model.graph().inputs)
      inputs.push_back(random_input(at(model.graph()[port.value].type.shape, rows)));
    const auto run = [&] { model.session().run(inputs); };
    print_steps(model.session(), rows, run);
    measure(
        repeats, [] {}, run);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ascribe_bench_forward: %s\n", error.what());
    return 1;
  }
}
