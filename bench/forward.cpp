// Times the forward pass of a model: ascribe_bench_forward MODEL.onnx ROWS REPEATS THREADS.
// Prints one line of JSON: seconds of every run and the peak memory of the process.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <sys/resource.h>

#include "base/parallel.h"
#include "base/random.h"
#include "model/model.h"

using namespace ascribe;

namespace {

Tensor random_input(const Shape& shape) {
  Tensor tensor(DType::f32, shape);
  const Random random(7);
  auto values = tensor.mutable_data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(random.normal(i));
  return tensor;
}

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

int main(int argc, char** argv) {
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
    for (int i = 0; i < 2; ++i) model.session().run(inputs);
    std::printf("{\"seconds\": [");
    for (int64_t i = 0; i < repeats; ++i) {
      const auto start = std::chrono::steady_clock::now();
      model.session().run(inputs);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      std::printf("%s%.6f", i == 0 ? "" : ", ", elapsed.count());
    }
    std::printf("], \"peak_mib\": %.1f}\n", peak_mebibytes());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ascribe_bench_forward: %s\n", error.what());
    return 1;
  }
}
