// Times a model from its file to its first prediction: ascribe_bench_loading MODEL.onnx ROWS THREADS.
// Prints one line of JSON: seconds of loading, of the first run and of both, of a second run, and the peak memory of
// the process after the first run.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/parallel.h"
#include "base/waiting.h"
#include "model/model.h"

#include "measure.h"

using namespace ascribe::core;

int main(int argc, char** argv) {
  ascribe::core::wait_briefly(argv);  // as the program does
  if (argc != 4) {
    std::fputs("usage: ascribe_bench_loading MODEL.onnx ROWS THREADS\n", stderr);
    return 2;
  }
  try {
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](Clock::time_point from, Clock::time_point to) {
      return std::chrono::duration<double>(to - from).count();
    };
    const int64_t rows = std::atoll(argv[2]);
    set_thread_count(std::atoi(argv[3]));
    const Clock::time_point start = Clock::now();
    Model model = Model::load(argv[1], {});
    const Clock::time_point loaded = Clock::now();
    std::vector<Tensor> inputs;
    for (const Port& port : model.graph().inputs)
      inputs.push_back(random_input(at(model.graph()[port.value].type.shape, rows)));
    const Clock::time_point ready = Clock::now();
    model.session().run(inputs);
    const Clock::time_point first = Clock::now();
    const double peak = peak_mebibytes();
    model.session().run(inputs);
    const Clock::time_point second = Clock::now();
    std::printf(
        "{\"seconds\": [%.9f], \"load\": %.9f, \"first_run\": %.9f, \"second_run\": %.9f, \"peak_mib\": %.1f}\n",
        seconds(start, loaded) + seconds(ready, first), seconds(start, loaded), seconds(ready, first),
        seconds(first, second), peak);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ascribe_bench_loading: %s\n", error.what());
    return 1;
  }
}
